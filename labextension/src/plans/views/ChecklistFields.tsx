/**
 * The file that a new plan works through, in its form.
 */
import * as React from 'react';

import type { DraftStore } from '../../shared/draft';
import { AreaField, ChoiceField, TextField } from '../../shared/views/fields';
import type { Domain, IPlanDraft } from '../stores/forms';
import { usePlans } from './services';

/** The file that a new plan works through, and how each of its tasks is carried out. */
export function ChecklistFields({ store }: { store: DraftStore<IPlanDraft> }): React.ReactElement {
  const { trans } = usePlans();
  const { draft, wrong } = store;
  const domains: [Domain, string][] = [
    ['general', trans.__('General')],
    ['coding', trans.__('Coding')],
    ['research', trans.__('Research')],
    ['ops', trans.__('Operations')]
  ];
  return (
    <>
      <TextField
        label={trans.__('Checklist')}
        hint={trans.__(
          'A Markdown file with lines such as “- [ ] Write the tests”. Its tasks become the steps.'
        )}
        value={draft.checklist}
        wrong={wrong.checklist}
        onChange={checklist => store.write({ checklist })}
      />
      {draft.checklist.trim() !== '' && (
        <>
          <ChoiceField
            label={trans.__('Guidelines')}
            hint={trans.__('Each task receives the guidelines for this kind of work.')}
            value={draft.domain}
            wrong={wrong.domain}
            options={domains}
            onChange={domain =>
              store.write(domain === 'coding' ? { domain, isCommitted: true } : { domain })
            }
          />
          <AreaField
            isCode
            label={trans.__('Verify command')}
            rows={2}
            hint={trans.__(
              'A program that must succeed before a task counts as done. One argument per line: for example, python on the first line and check.py on the second.'
            )}
            value={draft.verify}
            wrong={wrong.verify}
            onChange={verify => store.write({ verify })}
          />
        </>
      )}
    </>
  );
}
