/**
 * Makes what plays are shown with, and fills their tab. Loaded when it is first opened.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import type { ICabinetServer } from '../shared/tokens';
import type { LazyTab } from '../shared/views/lazyTab';
import { guard } from '../shared/views/unsaved';
import { ConfirmationStore } from './stores/confirmations';
import { PlaysStore } from './stores/plays/board';
import { Playbook } from './stores/plays/playbook';
import { confirmOne } from './views/confirmDialog';
import type { IBoardServices } from './views/board/services';
import { fillPlays } from './views/plays/widget';

/** `args`: of the command that has opened the tab. */
interface IPlaysOptions {
  app: JupyterFrontEnd;
  args: ReadonlyPartialJSONObject;
  board: IBoardServices;
  server: ICabinetServer;
}

/** Its stores are disposed of with the tab. */
export function openPlays(tab: LazyTab, { app, args, board, server }: IPlaysOptions): void {
  const { client, events } = server;
  const { agents, connection, run, runs, runtimeTitle, trans, workSwitch } = board;
  const playbook = new Playbook(client, events, runs);
  const plays = new PlaysStore(playbook, events, slug => agents.nameOf(slug));
  plays.follow(args);
  tab.disposed.connect(() => plays.dispose());
  guard(tab, plays.drafts, app, trans);
  tab.content.follow = later => plays.follow(later);
  const confirmPlay = (slug: string) =>
    confirmOne(new ConfirmationStore(client), 'play', slug, trans);
  const showRun = async (id: string) => {
    const { openRun } = await import(/* webpackChunkName: "run-output" */ '../runs/views');
    await openRun(id, { commands: app.commands, runs, trans });
  };
  const services = { agents, connection, run, runtimeTitle, trans };
  const shown = { ...services, playbook, plays, confirmPlay, showRun };
  fillPlays(tab, shown, { plays, runs, workSwitch });
}
