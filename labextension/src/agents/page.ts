/**
 * The command that opens the page of one agent in a tab, which comes back with the layout. Its content is loaded lazily.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';

import { IApprovals } from '../approvals';
import { IRuns } from '../runs';
import { IRuntimes } from '../runtimes';
import { Commands, labelled } from '../shared/commands';
import { agentIcon } from '../shared/icons/start';
import { IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { restoredTabs } from '../shared/views/restoredTabs';
import { IAgents } from './tokens';

export const agentPagePlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:agent-page',
  description: 'Shows one agent in a tab.',
  autoStart: true,
  requires: [IServer, IAgents, IApprovals, IRuns, IRuntimes],
  optional: [IRenderMimeRegistry, ITranslator, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    agents: IAgents,
    approvals: IApprovals,
    runs: IRuns,
    runtimes: IRuntimes,
    rendermime: IRenderMimeRegistry | null,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null
  ) => {
    const trans = bundleOf(translator);
    const openTab = restoredTabs(app, restorer, {
      namespace: 'cabinet-agent-page',
      command: Commands.openAgent,
      argument: 'agent',
      icon: agentIcon,
      type: 'Agent',
      fill: async (tab, slug, args) => {
        const { openPage } = await import(/* webpackChunkName: "agent-page" */ './pageServices');
        await openPage(tab, slug, {
          app,
          server: await server(),
          agents: await agents(),
          approvals: await approvals(),
          runs: await runs(),
          runtimes: await runtimes(),
          rendermime,
          first: args,
          trans
        });
      }
    });
    app.commands.addCommand(Commands.openAgent, {
      label: labelled(trans.__('Open agent'), trans),
      icon: agentIcon,
      describedBy: {
        args: {
          type: 'object',
          required: ['agent'],
          properties: {
            agent: { type: 'string', description: trans.__('The agent’s slug') },
            tab: { type: 'string', description: trans.__('The tab to show, such as persona') },
            run: { type: 'string', description: trans.__('The ID of the run to show') }
          }
        }
      },
      execute: args => {
        const slug = String(args.agent);
        openTab(slug, slug, args);
      }
    });
  }
};
