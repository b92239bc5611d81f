/**
 * A dialog in which a person asks for a run: what is to be done, who does it, where, and how far it may go unasked.
 */
import { runIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PermissionMode, RunnerName } from '../../api/types';
import { runnersOf } from '../../runs';
import { isolationLabel, isolationMeaning, permissionLabel } from '../../runtimes';
import { Button } from '../../shared/views/components';
import { FormDialog, FormField } from '../../shared/views/FormDialog';
import { useChanges } from '../../shared/views/hooks';
import { WorkerOptions } from '../../shared/views/WorkerOptions';
import type { NewRunStore } from '../stores/newRun';
import { useActivity, useWhyNotRun } from './services';

export function NewRunDialog(): React.ReactElement {
  const { announce, newRun, activity, trans } = useActivity();
  useChanges(newRun.changed);
  const why = useWhyNotRun();
  const start = async () => {
    const run = await newRun.start();
    if (run) {
      announce(trans.__('Queued'));
      await activity.reveal(run.id);
    }
  };
  return (
    <FormDialog
      label={trans.__('New run')}
      refusal={newRun.refusal}
      isBusy={newRun.isBusy}
      onClose={() => newRun.hide()}
      onEnter={() => void (why === null && start())}
      buttons={
        <>
          <Button label={trans.__('Cancel')} onClick={() => newRun.hide()} />
          <Button
            filled
            icon={runIcon}
            label={trans.__('Run')}
            title={trans.__('Ctrl+Enter')}
            busy={newRun.isBusy}
            blocked={why}
            disabled={!newRun.isReady}
            onClick={() => void start()}
          />
        </>
      }
    >
      <Fields />
    </FormDialog>
  );
}

function Fields(): React.ReactElement {
  const { newRun, trans } = useActivity();
  const { draft, wrong } = newRun;
  const isAgent = draft.worker.kind === 'agent';
  return (
    <div className="jp-Cabinet-form-fields">
      <FormField label={trans.__('Instruction')} wrong={wrong.instruction ?? null}>
        {given => (
          <textarea
            {...given}
            autoFocus
            rows={4}
            value={draft.instruction}
            onChange={event => newRun.write({ instruction: event.target.value })}
          />
        )}
      </FormField>
      <Worker store={newRun} />
      <FormField
        label={trans.__('Folder')}
        wrong={wrong.folder ?? null}
        hint={
          isAgent
            ? trans.__('If empty, the folder that the agent works in.')
            : trans.__('A path in the server’s root folder. If empty, that folder itself.')
        }
      >
        {given => (
          <input
            {...given}
            type="text"
            autoComplete="off"
            spellCheck={false}
            value={newRun.folder}
            onChange={event => newRun.write({ folder: event.target.value })}
          />
        )}
      </FormField>
      {!isAgent && <Permission store={newRun} />}
      <Runner store={newRun} />
      <Isolation store={newRun} />
    </div>
  );
}

/** Runtimes, and below them agents. */
function Worker({ store }: { store: NewRunStore }): React.ReactElement {
  const { trans } = useActivity();
  const { agents, draft, runtimes } = store;
  const rows = agents.rows ?? [];
  const choose = (value: string) => {
    const kind = value.startsWith('agent:') ? 'agent' : 'runtime';
    store.write({ worker: { kind, name: value.slice(kind.length + 1) } });
  };
  return (
    <FormField
      label={trans.__('Agent or runtime')}
      wrong={null}
      hint={
        draft.worker.kind === 'agent'
          ? trans.__(
              'The agent receives this message together with its memory. Directives in its answer are not carried out.'
            )
          : undefined
      }
    >
      {given => (
        <select
          {...given}
          value={`${draft.worker.kind}:${draft.worker.name || (store.runtime ?? '')}`}
          onChange={event => choose(event.target.value)}
        >
          <WorkerOptions runtimes={runtimes.found} agents={rows} trans={trans} />
        </select>
      )}
    </FormField>
  );
}

/** Whether it works in a sandbox. The choice is remembered for all runs of this person. */
function Isolation({ store }: { store: NewRunStore }): React.ReactElement | null {
  const { trans } = useActivity();
  const { isolation } = store;
  if (isolation === null) {
    return null;
  }
  const { isIsolated, reason } = isolation;
  return (
    <FormField
      label={isolationLabel(true, trans)}
      wrong={null}
      hint={reason?.(trans) ?? isolationMeaning(true, trans)}
    >
      {given => (
        <input
          {...given}
          type="checkbox"
          checked={isIsolated}
          disabled={reason !== null}
          onChange={event => store.choices.chooseIsolation(event.target.checked)}
        />
      )}
    </FormField>
  );
}

/** Where it starts. Shown if there is a choice. */
function Runner({ store }: { store: NewRunStore }): React.ReactElement | null {
  const { connection, trans } = useActivity();
  useChanges(connection.changed);
  const { runner, worker } = store.draft;
  const { offered, usual } = runnersOf(connection.health, runner ?? '', trans);
  return offered.length > 1 ? (
    <FormField
      label={trans.__('Where it runs')}
      wrong={null}
      hint={runner === 'docker' ? trans.__('In a container, the run is isolated.') : undefined}
    >
      {given => (
        <select
          {...given}
          value={runner ?? ''}
          onChange={event =>
            store.write({ runner: (event.target.value || null) as RunnerName | null })
          }
        >
          <option value="">
            {worker.kind === 'agent'
              ? trans.__('As the agent says')
              : trans.__('Default (%1)', usual)}
          </option>
          {offered.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      )}
    </FormField>
  ) : null;
}

/** How far it goes without asking. */
function Permission({ store }: { store: NewRunStore }): React.ReactElement | null {
  const { trans } = useActivity();
  const modes = store.permissionModes;
  return modes.length ? (
    <FormField label={trans.__('Permission mode')} wrong={null}>
      {given => (
        <select
          {...given}
          value={store.permissionMode ?? ''}
          onChange={event => store.write({ permissionMode: event.target.value as PermissionMode })}
        >
          {modes.map(mode => (
            <option key={mode} value={mode}>
              {permissionLabel(mode, trans)}
            </option>
          ))}
        </select>
      )}
    </FormField>
  ) : null;
}
