/**
 * A plan from a YAML text.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { FormField } from '../../shared/views/FormDialog';
import { AreaField } from '../../shared/views/fields';
import { SendDialog, useDraft } from './SendDialog';
import { usePlans } from './services';

const EXAMPLE = `title: Tidy the data
steps:
  - key: load
    title: Load the tables
  - title: Check them
    depends_on: [load]
    verify: [python, check.py]`;

export function ImportDialog(): React.ReactElement {
  const { plans, trans } = usePlans();
  const store = useDraft(() => ({ text: '' }));
  const { draft, wrong } = store;
  return (
    <SendDialog
      label={trans.__('Import a plan')}
      button={trans.__('Import')}
      icon={addIcon}
      store={store}
      isReady={draft.text.trim() !== ''}
      send={async ({ text }) => plans.take(await plans.routes.import(text))}
    >
      <FormField label={trans.__('File')} wrong={null}>
        {given => (
          <input
            {...given}
            type="file"
            accept=".yaml,.yml"
            onChange={event => {
              void event.target.files?.[0]?.text().then(text => store.write({ text }));
            }}
          />
        )}
      </FormField>
      <AreaField
        isCode
        autoFocus
        label={trans.__('YAML')}
        rows={12}
        value={draft.text}
        wrong={wrong.text}
        onChange={text => store.write({ text })}
      />
      <details className="jp-Cabinet-form-more">
        <summary>{trans.__('Example')}</summary>
        <pre className="jp-Cabinet-code">{EXAMPLE}</pre>
      </details>
    </SendDialog>
  );
}
