/**
 * Where the checklist of a plan is now, after it was renamed or moved.
 */
import * as React from 'react';

import { TextField } from '../../shared/views/fields';
import { belowRoot } from '../stores/forms';
import type { PlanStore } from '../stores/plan';
import { SendDialog, useDraft } from './SendDialog';
import { usePlans } from './services';

/** `path`: where it was. */
export function ChecklistDialog(props: { store: PlanStore; path: string }): React.ReactElement {
  const { path, store: plan } = props;
  const { plans, trans } = usePlans();
  const store = useDraft(() => ({ path }), { checklist: 'path', 'checklist.path': 'path' });
  const { draft, wrong } = store;
  return (
    <SendDialog
      label={trans.__('Locate the checklist')}
      button={trans.__('Use this file')}
      store={store}
      isReady={draft.path.trim() !== '' && draft.path.trim() !== path}
      send={async ({ path }) =>
        plan.takeChange(await plans.routes.chooseChecklist(plan.id, belowRoot(path)))
      }
    >
      <TextField
        autoFocus
        label={trans.__('Checklist')}
        hint={trans.__(
          'The path of the renamed or moved file. The tasks keep their states and runs.'
        )}
        value={draft.path}
        wrong={wrong.path}
        onChange={path => store.write({ path })}
      />
    </SendDialog>
  );
}
