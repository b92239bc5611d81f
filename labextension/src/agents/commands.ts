/**
 * The commands about all agents. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { addIcon, runIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { CabinetClient } from '../api/client';
import type { RunStore } from '../runs';
import { Commands, labelled, NO_ARGS } from '../shared/commands';
import type { ConnectionStore } from '../shared/connection';
import { pauseIcon } from '../shared/icons';
import { isLab } from '../shared/labPage';
import type { Lazy } from '../shared/lazy';
import { whyNotPauseAll } from './stores/rights';
import type { IBoardServices } from './views/board/services';
import { turnWork } from './views/board/turnWork';

export function addConfirmCommand(
  { commands }: JupyterFrontEnd,
  client: CabinetClient,
  trans: TranslationBundle
): void {
  commands.addCommand(Commands.confirmAgents, {
    label: labelled(trans.__('Confirm agents and plays…'), trans),
    caption: trans.__('Review and confirm what agents and plays can do'),
    describedBy: NO_ARGS,
    execute: async () => {
      const [{ confirmAll }, { ConfirmationStore }] = await Promise.all([
        import(/* webpackChunkName: "confirming" */ './views/confirmDialog'),
        import(/* webpackChunkName: "confirming" */ './stores/confirmations')
      ]);
      await confirmAll(new ConfirmationStore(client), trans);
    }
  });
}

interface IParts {
  app: JupyterFrontEnd;
  services: Lazy<IBoardServices>;
  runs: RunStore;
  connection: ConnectionStore;
  trans: TranslationBundle;
}

export async function addBoardCommands(parts: IParts): Promise<void> {
  const { app, connection, runs, services, trans } = parts;
  const { commands } = app;
  commands.addCommand(Commands.newAgent, {
    label: labelled(trans.__('New agent…'), trans),
    icon: addIcon,
    isVisible: () => isLab(app),
    describedBy: NO_ARGS,
    execute: async () => {
      await commands.execute(Commands.agents);
      (await services()).asked.ask('');
    }
  });
  const workSwitch = await runs.workSwitch();
  for (const [id, text, paused] of [
    [Commands.pauseAll, trans.__('Pause all agents'), true],
    [Commands.resumeAll, trans.__('Resume all agents'), false]
  ] as const) {
    const what = paused
      ? trans.__('No new runs will start. Active runs continue.')
      : trans.__('Due and queued runs will start.');
    commands.addCommand(id, {
      label: labelled(text, trans),
      caption: () => whyNotPauseAll(connection, trans) ?? what,
      icon: paused ? pauseIcon : runIcon,
      isEnabled: () =>
        workSwitch.state !== null &&
        workSwitch.paused !== paused &&
        whyNotPauseAll(connection, trans) === null,
      describedBy: NO_ARGS,
      execute: () => turnWork({ runs, trans, workSwitch }, paused)
    });
  }
  const tell = () => {
    commands.notifyCommandChanged(Commands.pauseAll);
    commands.notifyCommandChanged(Commands.resumeAll);
  };
  workSwitch.changed.connect(tell);
  connection.changed.connect(tell);
}
