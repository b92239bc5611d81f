/**
 * The instructions that wait in the shown session, above the composer.
 */
import { closeIcon, editIcon, runIcon, type LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Run } from '../../api/types';
import { visible } from '../../shared/untrusted';
import { Untrusted } from '../../shared/views/Untrusted';
import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { useServices } from './services';

export function Queue(): React.ReactElement | null {
  const { trans, editor, connection } = useServices();
  useChanges(editor.changed, connection.changed);
  const { queue } = editor;
  if (!queue.length || editor.view !== 'session') {
    return null;
  }
  return (
    <section className="jp-Cabinet-queue" aria-label={trans.__('Queued instructions')}>
      <ol className="jp-Cabinet-plain-list">
        {queue.map(run => (
          <Waiting key={run.id} run={run} />
        ))}
      </ol>
    </section>
  );
}

function Waiting({ run }: { run: Run }): React.ReactElement {
  const { trans, editor, connection, focusComposer } = useServices();
  const text = visible(run.instruction);
  const action = (icon: LabIcon, label: string, what: string, does: () => Promise<void>) => (
    <Button
      bare
      icon={icon}
      label={label}
      title={what}
      disabled={!connection.online}
      onClick={() => {
        void does();
        focusComposer();
      }}
    />
  );
  const { waiting } = editor;
  return (
    <li className="jp-Cabinet-queued">
      <span className="jp-Cabinet-queued-text" title={text}>
        <Untrusted text={run.instruction} />
      </span>
      {connection.mayRun && editor.isMine(run) && (
        <>
          {action(
            runIcon,
            trans.__('Send now: %1', text),
            trans.__('Send now. Interrupts the current run.'),
            () => waiting.sendNow(run)
          )}
          {action(editIcon, trans.__('Edit: %1', text), trans.__('Edit'), () =>
            waiting.edit(run, editor.path)
          )}
          {action(closeIcon, trans.__('Remove: %1', text), trans.__('Remove'), () =>
            waiting.drop(run)
          )}
        </>
      )}
    </li>
  );
}
