/**
 * Named agents: their list in a tab and a sidebar, what a person confirms of them, and news of them.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ILauncher } from '@jupyterlab/launcher';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator } from '@jupyterlab/translation';

import { IApprovals } from '../approvals';
import { IRuns } from '../runs';
import { IRuntimes } from '../runtimes';
import { Commands } from '../shared/commands';
import { cabinetIcon, playIcon } from '../shared/icons/start';
import { lazily } from '../shared/lazy';
import { IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { LazySidebar } from '../shared/views/lazySidebar';
import { restoredTab } from '../shared/views/restoredTabs';
import { IAgents } from './tokens';

/** Its code comes when the page has started. */
const afterStart = () => import(/* webpackChunkName: "after-start" */ './afterStart');

export const agentStorePlugin: JupyterFrontEndPlugin<IAgents> = {
  id: 'jupyter-cabinet:agent-store',
  description: 'The agents that this page shows, kept up by the server’s events.',
  autoStart: true,
  requires: [IServer],
  provides: IAgents,
  activate: (_: JupyterFrontEnd, server: IServer): IAgents =>
    lazily(async () => {
      const [{ AgentStore }, { client, events }] = await Promise.all([
        import(/* webpackChunkName: "notebook" */ './stores/agents'),
        server()
      ]);
      return new AgentStore(client, events);
    })
};

export const agentsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:agents',
  description: 'Shows news of agents, and has agents and plays confirmed.',
  autoStart: true,
  requires: [IServer, IAgents, IRuns],
  optional: [ITranslator, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    agents: IAgents,
    runs: IRuns,
    translator: ITranslator | null,
    registry: ISettingRegistry | null
  ) => {
    const trans = bundleOf(translator);
    void app.restored.then(async () => {
      const [{ addConfirmCommand, namesFrom, notify, readWish }, { client, events }] =
        await Promise.all([afterStart(), server()]);
      addConfirmCommand(app, client, trans);
      const store = await runs();
      await notify(app, events, store, trans, await readWish(registry), namesFrom(agents, client));
    });
  }
};

/** Which play is shown, whether it is changed, or that a new one is made. */
const PLAY_ARGS = {
  args: {
    type: 'object',
    properties: { play: { type: 'string' }, edit: { type: 'string' }, new: { type: 'string' } }
  }
} as const;

/** In pixels. */
const LIST_WIDTH = 260;

export const boardPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:agent-board',
  description: 'All agents, in a tab and in the left sidebar.',
  autoStart: true,
  requires: [IServer, IAgents, IRuns, IApprovals, IRuntimes],
  optional: [ITranslator, ILayoutRestorer, IStateDB, ILauncher],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    agents: IAgents,
    runs: IRuns,
    approvals: IApprovals,
    runtimes: IRuntimes,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    stateDB: IStateDB | null,
    launcher: ILauncher | null
  ) => {
    const trans = bundleOf(translator);
    const services = lazily(async () => {
      const [{ makeBoard }, made] = await Promise.all([
        import(/* webpackChunkName: "agents" */ './services'),
        server()
      ]);
      const parts = { agents, runs, approvals, runtimes, stateDB, trans };
      return makeBoard({ app, server: made, ...parts });
    });
    const load = async () => {
      const [{ makeList }, made] = await Promise.all([
        import(/* webpackChunkName: "agents" */ './views/board/widgets'),
        services()
      ]);
      return makeList(made);
    };
    const label = trans.__('Cabinet: agents');
    const sidebar = new LazySidebar('cabinet-agent-list', label, cabinetIcon, load, LIST_WIDTH);
    sidebar.addClass('jp-mod-list');
    app.shell.add(sidebar, 'left', { rank: 450, type: 'Agents' });
    restorer?.add(sidebar, sidebar.id);
    restoredTab(app, restorer, trans, {
      namespace: 'cabinet-agents',
      command: Commands.agents,
      label: trans.__('Agents'),
      caption: trans.__('What agents do, what they cost, and which of them wait'),
      icon: cabinetIcon,
      type: 'Agents',
      fill: async tab => {
        const [{ fillBoard }, made] = await Promise.all([
          import(/* webpackChunkName: "agents" */ './views/board/widgets'),
          services()
        ]);
        if (!tab.isDisposed) {
          fillBoard(tab, made);
        }
      }
    });
    restoredTab(app, restorer, trans, {
      namespace: 'cabinet-plays',
      command: Commands.plays,
      label: trans.__('Plays'),
      caption: trans.__('Instructions that agents run by hand, on a schedule or after an event'),
      icon: playIcon,
      type: 'Plays',
      describedBy: PLAY_ARGS,
      fill: async (tab, _, args) => {
        const [{ openPlays }, board, given] = await Promise.all([
          import(/* webpackChunkName: "plays" */ './playServices'),
          services(),
          server()
        ]);
        if (!tab.isDisposed) {
          openPlays(tab, { app, args, board, server: given });
        }
      }
    });
    [Commands.agents, Commands.plays].forEach((command, index) =>
      launcher?.add({ command, category: trans.__('Other'), rank: 3 + index })
    );
    void app.restored.then(async () => {
      const [commands, store, { client, connection }] = await Promise.all([
        afterStart(),
        runs(),
        server()
      ]);
      await commands.addBoardCommands({ app, services, runs: store, connection, trans });
      commands.addPlayCommands(app, trans);
      commands.addAgentCommands({ app, agents, client, connection, trans });
    });
  }
};
