/**
 * The commands of the list of agents. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { addIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { RunStore } from '../runs';
import { Commands, labelled } from '../shared/commands';
import { pauseIcon } from '../shared/icons';
import { cabinetIcon } from '../shared/icons/start';
import { isLab } from '../shared/labPage';
import type { Lazy } from '../shared/lazy';
import { lazyTab } from '../shared/views/lazyTab';
import type { IBoardServices } from './views/board/services';
import { turnWork } from './views/board/turnWork';

const ID = 'cabinet-agents';
const NO_ARGS = { args: { type: 'object', properties: {} } } as const;

export async function addBoardCommands(
  app: JupyterFrontEnd,
  services: Lazy<IBoardServices>,
  runs: RunStore,
  trans: TranslationBundle
): Promise<void> {
  const { commands, shell } = app;
  const label = trans.__('Agents');
  let isOpen = false;
  const show = () => {
    if (!isOpen) {
      const tab = lazyTab(ID, label, cabinetIcon, async made => {
        const [{ fillBoard }, board] = await Promise.all([
          import(/* webpackChunkName: "agents" */ './views/board/widgets'),
          services()
        ]);
        if (!made.isDisposed) {
          fillBoard(made, board);
        }
      });
      isOpen = true;
      tab.disposed.connect(() => (isOpen = false));
      shell.add(tab, 'main', { type: 'Agents' });
    }
    shell.activateById(ID);
  };
  commands.addCommand(Commands.agents, {
    label: labelled(label, trans),
    caption: trans.__('What the agents do, what they cost, and who waits'),
    icon: cabinetIcon,
    isVisible: () => isLab(app),
    describedBy: NO_ARGS,
    execute: show
  });
  commands.addCommand(Commands.newAgent, {
    label: labelled(trans.__('New agent…'), trans),
    icon: addIcon,
    isVisible: () => isLab(app),
    describedBy: NO_ARGS,
    execute: async () => {
      show();
      (await services()).asked.ask('');
    }
  });
  const workSwitch = await runs.workSwitch();
  for (const [id, text, paused] of [
    [Commands.pauseAll, trans.__('Pause all agents'), true],
    [Commands.resumeAll, trans.__('Resume all agents'), false]
  ] as const) {
    commands.addCommand(id, {
      label: labelled(text, trans),
      icon: paused ? pauseIcon : undefined,
      isEnabled: () => workSwitch.state !== null && workSwitch.paused !== paused,
      describedBy: NO_ARGS,
      execute: () => turnWork({ runs, trans, workSwitch }, paused)
    });
  }
  workSwitch.changed.connect(() => {
    commands.notifyCommandChanged(Commands.pauseAll);
    commands.notifyCommandChanged(Commands.resumeAll);
  });
}
