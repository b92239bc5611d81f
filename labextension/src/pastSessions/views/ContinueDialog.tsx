/**
 * The next instruction for a session, in its own CLI or in another one.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { runIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PermissionMode } from '../../api/types';
import { permissionLabel } from '../../runtimes';
import { Button } from '../../shared/views/components';
import { FormDialog, FormField } from '../../shared/views/FormDialog';
import { useChanges } from '../../shared/views/hooks';
import { continuingRuntimes, worksInSession } from '../stores/labels';
import type { TimelineStore } from '../stores/timeline';
import { NextPrompts } from './NextPrompts';
import { usePastSessions, useRuntimeTitle } from './services';

export function ContinueDialog(props: {
  timeline: TimelineStore;
  onClose: () => void;
}): React.ReactElement {
  const { onClose, timeline } = props;
  const { choices, connection, runtimes, trans } = usePastSessions();
  useChanges(timeline.changed, choices.changed, connection.changed, runtimes.changed);
  const titleOf = useRuntimeTitle();
  const { lastRuntime, session } = timeline;
  const [instruction, setInstruction] = React.useState('');
  React.useEffect(() => void timeline.readLastRuntime(), [timeline]);
  const offered = continuingRuntimes(session, runtimes.found, lastRuntime);
  const own = runtimes.found.filter(row => worksInSession(session, row)).map(({ name }) => name);
  const [chosen, setRuntime] = React.useState<string | null>(null);
  const runtime = chosen ?? offered[0] ?? session.runtime;
  const [wanted, setWanted] = React.useState<PermissionMode | null>(null);
  const [refusal, setRefusal] = React.useState<string | null>(null);
  const [isInTerminal, setInTerminal] = React.useState(false);
  const hasTerminal = runtimes.get(runtime)?.capabilities.interactive ?? false;
  const modes = choices.modesOf(runtime);
  const mode = choices.modeOf(runtime, wanted);
  const isReady =
    instruction.trim() !== '' &&
    offered.length > 0 &&
    lastRuntime !== null &&
    connection.online &&
    !timeline.isContinuing;
  const start = async () => {
    setRefusal(null);
    const run = await timeline.continue({
      instruction,
      mode: hasTerminal && isInTerminal ? 'terminal' : 'headless',
      runtime,
      ...(mode && { permission_mode: mode })
    });
    if (typeof run === 'string') {
      setRefusal(run);
    } else {
      onClose();
    }
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
        <NextPrompts timeline={timeline} onChoose={setInstruction} />
        <FormField
          label={trans.__('Runtime')}
          wrong={null}
          hint={hintOf(timeline, own.includes(runtime), own.length > 0, trans)}
        >
          {given => (
            <select {...given} value={runtime} onChange={event => setRuntime(event.target.value)}>
              {offered.map(name => (
                <option key={name} value={name}>
                  {titleOf(name)}
                </option>
              ))}
            </select>
          )}
        </FormField>
        {hasTerminal && (
          <FormField
            label={trans.__('In a terminal')}
            wrong={null}
            hint={trans.__('The CLI stays open in a shared terminal. Activity opens it.')}
          >
            {given => (
              <input
                {...given}
                type="checkbox"
                checked={isInTerminal}
                onChange={event => setInTerminal(event.target.checked)}
              />
            )}
          </FormField>
        )}
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

function hintOf(
  { session }: TimelineStore,
  isOwn: boolean,
  isOwnOffered: boolean,
  trans: TranslationBundle
): string {
  if (isOwn) {
    return trans.__('The session itself continues.');
  }
  const summary = trans.__('Another CLI receives a summary of the session.');
  if (isOwnOffered) {
    return summary;
  }
  const why = session.is_gone
    ? trans.__('Its CLI has removed the transcript.')
    : trans.__('Its own CLI was not found on this server.');
  return trans.__('%1 %2', why, summary);
}
