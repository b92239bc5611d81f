/**
 * What the tab of past sessions is made of. Loaded when it is opened.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { IStateDB } from '@jupyterlab/statedb';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import type { IApprovals } from '../approvals';
import type { IChoices, IRuntimes } from '../runtimes';
import { Commands } from '../shared/commands';
import { SETTINGS } from '../shared/settings';
import type { IAnnouncer, IServer } from '../shared/tokens';
import type { LazyTab } from '../shared/views/lazyTab';
import { KeptView } from './stores/keptView';
import { PastSessionStore } from './stores/sessionList';
import { drawPastSessions } from './views/widget';

export async function fillPastSessions(
  tab: LazyTab,
  args: ReadonlyPartialJSONObject,
  options: {
    app: JupyterFrontEnd;
    server: IServer;
    announcer: IAnnouncer;
    approvals: IApprovals;
    choices: IChoices;
    rendermime: IRenderMimeRegistry | null;
    runtimes: IRuntimes;
    settings: ISettingRegistry | null;
    stateDB: IStateDB | null;
    trans: TranslationBundle;
  }
): Promise<void> {
  const { announcer, rendermime, trans } = options;
  const { commands } = options.app;
  const [server, approvals, choices, runtimes, settings] = await Promise.all([
    options.server(),
    options.approvals(),
    options.choices(),
    options.runtimes(),
    options.settings?.load(SETTINGS).catch(() => null)
  ]);
  if (tab.isDisposed) {
    return;
  }
  const sessions = new PastSessionStore(server.client, server.events);
  tab.content.follow = ({ folder }) => folder && void sessions.showFolder(String(folder));
  tab.content.follow(args);
  const kept = new KeptView(sessions, options.stateDB, !args.folder);
  kept.follow(server.connection);
  tab.disposed.connect(() => kept.dispose());
  drawPastSessions(tab, {
    connection: server.connection,
    sessions,
    approvals,
    choices,
    runtimes,
    rendermime,
    suggestsNextPrompts: () => settings?.composite.suggestNextPrompts === true,
    trans,
    announce: words => announcer.polite(words),
    openDocument: path => void commands.execute('docmanager:open', { path }),
    showActivity: () => void commands.execute(Commands.activity)
  });
}
