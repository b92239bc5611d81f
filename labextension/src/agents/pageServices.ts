/**
 * Makes what the page of an agent is shown with, and fills its tab. Loaded when the first page is opened.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IApprovalServices } from '../approvals';
import type { EventStream } from '../api/events';
import type { RunStore } from '../runs';
import type { RuntimeStore } from '../runtimes';
import { Commands } from '../shared/commands';
import type { ICabinetServer } from '../shared/tokens';
import type { LazyTab } from '../shared/views/lazyTab';
import { guard } from '../shared/views/unsaved';
import { openAgentMenu } from './agentMenu';
import type { AgentStore } from './stores/agents';
import { ConfirmationStore } from './stores/confirmations';
import { AgentPage } from './stores/page/page';
import { newSlugOf } from './stores/page/renamed';
import { Place } from './stores/page/place';
import { confirmOne } from './views/confirmDialog';
import { fillPage } from './views/page/widget';

export interface IPageOptions {
  app: JupyterFrontEnd;
  server: ICabinetServer;
  agents: AgentStore;
  approvals: IApprovalServices;
  runs: RunStore;
  runtimes: RuntimeStore;
  rendermime: IRenderMimeRegistry | null;
  /** What is shown first. */
  first: { file?: unknown; run?: unknown; tab?: unknown };
  trans: TranslationBundle;
}

/** The stores of the page are disposed of with its tab. */
export async function openPage(tab: LazyTab, slug: string, options: IPageOptions): Promise<void> {
  const { agents, app, approvals, first, rendermime, runs, runtimes, server, trans } = options;
  const { client, connection, events } = server;
  const [outputs, workSwitch] = await Promise.all([runs.outputs(), runs.workSwitch()]);
  if (tab.isDisposed) {
    return;
  }
  const page = new AgentPage(client, events, runs, slug);
  const place = new Place();
  place.follow(first);
  tab.disposed.connect(() => [page, place].forEach(each => each.dispose()));
  guard(tab, page.drafts, app, trans);
  followRename(tab, page, events, app);
  const showRun = async (id: string) => {
    const { openRun } = await import(/* webpackChunkName: "run-output" */ '../runs/views');
    await openRun(id, { commands: app.commands, runs, trans });
  };
  fillPage(tab, {
    page,
    agents,
    approvals,
    connection,
    outputs,
    workSwitch,
    rendermime,
    runtimes,
    runtimeTitle: name => runtimes.items?.find(row => row.name === name)?.title ?? name ?? '',
    openMenu: (of, anchor) => openAgentMenu(app.commands, of, anchor),
    openRun: id => void showRun(id),
    run: (command, args) => void app.commands.execute(command, args),
    confirm: async () => {
      await confirmOne(new ConfirmationStore(client), 'agent', slug, trans);
      agents.forgetRefusal(slug);
    },
    confirmPlay: play => confirmOne(new ConfirmationStore(client), 'play', play, trans),
    place,
    trans
  });
}

/** The page of an agent that was renamed becomes the page of the new slug, unless something in it is not saved. */
function followRename(
  tab: LazyTab,
  page: AgentPage,
  events: EventStream,
  app: JupyterFrontEnd
): void {
  const follow = (_: EventStream, event: { type: string }) => {
    const slug = newSlugOf(page.slug, event);
    if (slug && !page.drafts.unsaved.length) {
      void app.commands.execute(Commands.openAgent, { agent: slug }).then(() => {
        tab.dispose();
      });
    }
  };
  events.happened.connect(follow);
  tab.disposed.connect(() => events.happened.disconnect(follow));
}
