/**
 * What the tab of channels is made of. Loaded when it is opened.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IStateDB } from '@jupyterlab/statedb';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IAgents } from '../agents';
import type { IRuns } from '../runs';
import type { IAnnouncer, IServer } from '../shared/tokens';
import type { LazyTab } from '../shared/views/lazyTab';
import { ChannelsStore } from './stores/channelList';
import { keptChannel } from './stores/keptChannel';
import { drawChannels } from './views/widget';

export async function fillChannels(
  tab: LazyTab,
  options: {
    app: JupyterFrontEnd;
    agents: IAgents;
    announcer: IAnnouncer;
    runs: IRuns;
    server: IServer;
    /** Whether the page was reloaded. */
    isRestored: boolean;
    stateDB: IStateDB | null;
    trans: TranslationBundle;
  }
): Promise<void> {
  const { announcer, trans } = options;
  const { commands } = options.app;
  const [server, agents, runs] = await Promise.all([
    options.server(),
    options.agents(),
    options.runs()
  ]);
  if (tab.isDisposed) {
    return;
  }
  const channels = new ChannelsStore(server.client, server.events);
  const kept = keptChannel(channels, options.stateDB, options.isRestored);
  tab.disposed.connect(() => kept.dispose());
  kept.follow(server.connection);
  drawChannels(tab, {
    connection: server.connection,
    channels,
    agents,
    serverUrl: new URL(server.client.settings.baseUrl, location.href).href,
    trans,
    announce: words => announcer.polite(words),
    showRun: async id => {
      const { openRun } = await import(/* webpackChunkName: "run-output" */ '../runs/views');
      await openRun(id, { commands, runs, trans });
    }
  });
}
