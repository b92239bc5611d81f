/**
 * Makes what the page of an agent is shown with, and fills its tab. Loaded when the first page is opened.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IApprovalServices } from '../approvals';
import type { RunStore } from '../runs';
import type { RuntimeStore } from '../runtimes';
import type { ICabinetServer } from '../shared/tokens';
import type { LazyTab } from '../shared/views/lazyTab';
import { guard } from '../shared/views/unsaved';
import type { AgentStore } from './stores/agents';
import { ConfirmationStore } from './stores/confirmations';
import { AgentPage } from './stores/page/page';
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
  first: { run?: unknown; tab?: unknown };
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
  fillPage(tab, {
    page,
    agents,
    approvals,
    connection,
    outputs,
    workSwitch,
    rendermime,
    runtimeTitle: name => runtimes.items?.find(row => row.name === name)?.title ?? name ?? '',
    run: (command, args) => void app.commands.execute(command, args),
    confirm: () => confirmOne(new ConfirmationStore(client), 'agent', slug, trans),
    confirmPlay: play => confirmOne(new ConfirmationStore(client), 'play', play, trans),
    place,
    trans
  });
}
