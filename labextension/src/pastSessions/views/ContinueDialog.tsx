/**
 * The next instruction for a session, in its own CLI or in another one.
 */
import { runIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PermissionMode } from '../../api/types';
import { permissionLabel } from '../../runtimes';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { FormDialog, FormField } from '../../shared/views/FormDialog';
import { useChanges } from '../../shared/views/hooks';
import type { TimelineStore } from '../stores/timeline';
import { usePastSessions, useRuntimeTitle } from './services';

export function ContinueDialog(props: {
  timeline: TimelineStore;
  onClose: () => void;
}): React.ReactElement {
  const { onClose, timeline } = props;
  const { announce, choices, connection, runtimes, showRun, trans } = usePastSessions();
  useChanges(timeline.changed, choices.changed, connection.changed);
  const titleOf = useRuntimeTitle();
  const own = timeline.session.runtime;
  const [instruction, setInstruction] = React.useState('');
  const [runtime, setRuntime] = React.useState(own);
  const [wanted, setWanted] = React.useState<PermissionMode | null>(null);
  const [refusal, setRefusal] = React.useState<string | null>(null);
  const modes = choices.modesOf(runtime);
  const mode = choices.modeOf(runtime, wanted);
  const isReady = instruction.trim() !== '' && connection.online && !timeline.isContinuing;
  const start = async () => {
    setRefusal(null);
    const run = await timeline.continue({
      instruction,
      mode: 'headless',
      ...(runtime !== own && { runtime }),
      ...(mode && { permission_mode: mode })
    });
    if (typeof run === 'string') {
      setRefusal(run);
      return;
    }
    announce(trans.__('Queued'));
    onClose();
    await showRun(run);
  };
  return (
    <FormDialog
      label={trans.__('Continue the session')}
      refusal={refusal}
      onClose={onClose}
      onEnter={() => void (isReady && start())}
      buttons={
        <>
          <Button label={trans.__('Cancel')} onClick={onClose} />
          <Button
            filled
            icon={runIcon}
            label={trans.__('Run')}
            title={trans.__('Ctrl+Enter')}
            busy={timeline.isContinuing}
            disabled={!isReady}
            onClick={() => void start()}
          />
        </>
      }
    >
      <div className="jp-Cabinet-form-fields">
        <FormField label={trans.__('Instruction')} wrong={null}>
          {given => (
            <textarea
              {...given}
              autoFocus
              rows={4}
              value={instruction}
              onChange={event => setInstruction(event.target.value)}
            />
          )}
        </FormField>
        <FormField
          label={trans.__('Runtime')}
          wrong={null}
          hint={
            runtime === own
              ? trans.__('The session itself continues.')
              : trans.__('Another CLI receives a summary of the session.')
          }
        >
          {given => (
            <select {...given} value={runtime} onChange={event => setRuntime(event.target.value)}>
              <option value={own}>{titleOf(own)}</option>
              {runtimes.found
                .filter(({ name }) => name !== own)
                .map(({ name, title }) => (
                  <option key={name} value={name}>
                    {visible(title)}
                  </option>
                ))}
            </select>
          )}
        </FormField>
        {modes.length > 0 && (
          <FormField label={trans.__('Permission mode')} wrong={null}>
            {given => (
              <select
                {...given}
                value={mode ?? ''}
                onChange={event => setWanted(event.target.value as PermissionMode)}
              >
                {modes.map(each => (
                  <option key={each} value={each}>
                    {permissionLabel(each, trans)}
                  </option>
                ))}
              </select>
            )}
          </FormField>
        )}
      </div>
    </FormDialog>
  );
}
