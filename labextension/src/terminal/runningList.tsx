/**
 * The group "Shared terminals" in JupyterLab's list of what runs.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IRunningSessionManagers } from '@jupyterlab/running';

import * as React from 'react';

import type { Terminal } from '../api/types';
import { Commands } from '../shared/commands';
import { terminalIcon } from '../shared/icons/start';
import type { ITerminalServices } from './views/services';
import { terminalSummary } from './stores/terminals';
import { visible } from '../shared/untrusted';

import '../../style/running.css';

/** Closing one there closes it for everybody. */
export function listRunning(
  app: JupyterFrontEnd,
  running: IRunningSessionManagers | null,
  { complain, connection, list, trans }: ITerminalServices
): void {
  const close = (terminal: Terminal) => list.close(terminal.id).catch(complain);
  running?.add({
    name: trans.__('Shared terminals'),
    running: () =>
      list.items.map(terminal => {
        const summary = terminalSummary(terminal, connection.username, trans);
        return {
          icon: () => terminalIcon,
          label: () => <Label name={visible(terminal.name)} summary={summary} />,
          labelTitle: () => `${visible(terminal.name)}\n${summary}`,
          context: terminal.id,
          className: 'jp-Cabinet-running-terminal',
          open: () => void app.commands.execute(Commands.openTerminal, { id: terminal.id }),
          shutdown: () => void close(terminal)
        };
      }),
    shutdownAll: () => list.items.forEach(terminal => void close(terminal)),
    refreshRunning: () => void list.load(),
    runningChanged: list.changed,
    shutdownLabel: trans.__('Close terminal'),
    shutdownAllLabel: trans.__('Close all'),
    shutdownAllConfirmationText: trans.__(
      'Close all shared terminals that you control or have started, and end the programs in them?'
    )
  });
}

/** The name whole where there is room, then who controls it; both are in the row's tooltip. */
function Label(props: { name: string; summary: string }): React.ReactElement {
  return (
    <span className="jp-Cabinet-running-label">
      <span>{props.name}</span>
      <span className="jp-Cabinet-running-summary">{props.summary}</span>
    </span>
  );
}
