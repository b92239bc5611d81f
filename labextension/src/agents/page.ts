/**
 * The command that opens the page of one agent in a tab, which comes back with the layout. Its content is loaded lazily.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IApprovals } from '../approvals';
import { IRuns } from '../runs';
import { IRuntimes } from '../runtimes';
import { Commands, labelled } from '../shared/commands';
import { agentIcon } from '../shared/icons/start';
import { IServer } from '../shared/tokens';
import { lazyTab, type LazyTab } from '../shared/views/lazyTab';
import type { IPageOptions } from './pageServices';
import { IAgents } from './tokens';

const PREFIX = 'cabinet-agent-';
const slugOf = (tab: { id: string }) => tab.id.slice(PREFIX.length);

export const agentPagePlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:agent-page',
  description: 'Shows one agent in a tab: what it does, has done, knows and is told.',
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
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    const tracker = new WidgetTracker<LazyTab>({ namespace: 'cabinet-agents' });
    const firsts = new Map<string, IPageOptions['first']>();
    const fill = async (tab: LazyTab) => {
      const { openPage } = await import(/* webpackChunkName: "agent-page" */ './pageServices');
      await openPage(tab, slugOf(tab), {
        app,
        server: await server(),
        agents: await agents(),
        approvals: await approvals(),
        runs: await runs(),
        runtimes: await runtimes(),
        rendermime,
        first: firsts.get(tab.id) ?? {},
        trans
      });
    };
    app.commands.addCommand(Commands.openAgent, {
      label: labelled(trans.__('Open agent'), trans),
      icon: agentIcon,
      describedBy: {
        args: {
          type: 'object',
          required: ['agent'],
          properties: {
            agent: { type: 'string', description: trans.__('The agent’s slug') },
            tab: { type: 'string', description: trans.__('What is shown, such as persona') },
            run: { type: 'string', description: trans.__('The id of a run to be shown') }
          }
        }
      },
      execute: async args => {
        const slug = String(args.agent);
        let tab = tracker.find(each => slugOf(each) === slug);
        tab?.content.follow?.(args);
        if (!tab) {
          firsts.set(PREFIX + slug, args);
          tab = lazyTab(PREFIX + slug, slug, agentIcon, fill);
          await tracker.add(tab);
          app.shell.add(tab, 'main', { type: 'Agent' });
        }
        app.shell.activateById(tab.id);
      }
    });
    void restorer?.restore(tracker, {
      command: Commands.openAgent,
      args: tab => ({ agent: slugOf(tab) }),
      name: slugOf
    });
  }
};
