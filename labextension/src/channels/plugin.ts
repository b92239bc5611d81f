/**
 * Channels in a tab: bots on chat platforms, by which people talk with agents. Its code is loaded when it is opened.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ILauncher } from '@jupyterlab/launcher';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator } from '@jupyterlab/translation';

import { IAgents } from '../agents';
import { IRuns } from '../runs';
import { Commands } from '../shared/commands';
import { chatIcon } from '../shared/icons/start';
import { IAnnouncer, IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { restoredTab } from '../shared/views/restoredTabs';

export const channelsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:channels',
  description: 'Bots on chat platforms.',
  autoStart: true,
  requires: [IServer, IAnnouncer, IAgents, IRuns],
  optional: [ITranslator, ILayoutRestorer, ILauncher, IStateDB],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    announcer: IAnnouncer,
    agents: IAgents,
    runs: IRuns,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    launcher: ILauncher | null,
    stateDB: IStateDB | null
  ) => {
    const trans = bundleOf(translator);
    const command = Commands.channels;
    restoredTab(app, restorer, trans, {
      namespace: 'cabinet-channels',
      command,
      label: trans.__('Channels'),
      icon: chatIcon,
      type: 'Channels',
      fill: async (tab, _key, _args, isRestored) => {
        const { fillChannels } = await import(/* webpackChunkName: "channels" */ './tab');
        const services = { agents, announcer, runs, server };
        await fillChannels(tab, { app, isRestored, stateDB, trans, ...services });
      }
    });
    launcher?.add({ command, category: trans.__('Other'), rank: 7 });
  }
};
