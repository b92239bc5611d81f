/**
 * Plans in a tab: graphs of steps, each carried out by a run. Its code is loaded when it is opened.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator } from '@jupyterlab/translation';

import { IAgents } from '../agents';
import { IApprovals } from '../approvals';
import { IRuns } from '../runs';
import { IChoices, IRuntimes } from '../runtimes';
import { Commands } from '../shared/commands';
import { planIcon } from '../shared/icons/start';
import { IAnnouncer, IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { restoredTab } from '../shared/views/restoredTabs';

export const plansPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:plans',
  description: 'Plans: work in steps, each in its own run.',
  autoStart: true,
  requires: [IServer, IAnnouncer, IAgents, IApprovals, IChoices, IRuns, IRuntimes],
  optional: [
    ITranslator,
    IRenderMimeRegistry,
    ILayoutRestorer,
    ILauncher,
    IDefaultFileBrowser,
    IDocumentManager,
    IStateDB
  ],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    announcer: IAnnouncer,
    agents: IAgents,
    approvals: IApprovals,
    choices: IChoices,
    runs: IRuns,
    runtimes: IRuntimes,
    translator: ITranslator | null,
    rendermime: IRenderMimeRegistry | null,
    restorer: ILayoutRestorer | null,
    launcher: ILauncher | null,
    browser: IDefaultFileBrowser | null,
    documents: IDocumentManager | null,
    stateDB: IStateDB | null
  ) => {
    const trans = bundleOf(translator);
    const command = Commands.plans;
    restoredTab(app, restorer, trans, {
      namespace: 'cabinet-plans',
      command,
      label: trans.__('Plans'),
      icon: planIcon,
      type: 'Plans',
      fill: async (tab, _key, args, isRestored) => {
        const { fillPlanTab } = await import(/* webpackChunkName: "plans" */ './tab');
        const services = { agents, approvals, choices, runs, runtimes, server };
        const parts = { announcer, isRestored, rendermime, stateDB };
        await fillPlanTab(tab, args, { app, trans, ...services, ...parts });
      }
    });
    launcher?.add({ command, category: trans.__('Other'), rank: 6 });
    void app.restored.then(async () => {
      const { addPlanCommands } = await import(/* webpackChunkName: "after-start" */ './commands');
      addPlanCommands({ app, browser, documents, trans });
    });
  }
};
