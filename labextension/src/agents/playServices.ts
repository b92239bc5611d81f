/**
 * Makes what plays are shown with, and fills their tab. Loaded when it is first opened.
 */
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { Commands } from '../shared/commands';
import type { ICabinetServer } from '../shared/tokens';
import type { LazyTab } from '../shared/views/lazyTab';
import { ConfirmationStore } from './stores/confirmations';
import { PlaysStore } from './stores/plays/board';
import { Playbook } from './stores/plays/playbook';
import { confirmOne } from './views/confirmDialog';
import type { IBoardServices } from './views/board/services';
import { fillPlays } from './views/plays/widget';

/** `args`: of the command that has opened the tab. Its stores are disposed of with it. */
export function openPlays(
  tab: LazyTab,
  board: IBoardServices,
  { client, events }: ICabinetServer,
  args: ReadonlyPartialJSONObject
): void {
  const { agents, connection, run, runs, runtimeTitle, trans } = board;
  const playbook = new Playbook(client, events, runs);
  const plays = new PlaysStore(playbook, events);
  plays.follow(args);
  tab.disposed.connect(() => plays.dispose());
  tab.content.follow = later => plays.follow(later);
  const confirmPlay = (slug: string) =>
    confirmOne(new ConfirmationStore(client), 'play', slug, trans);
  const showRun = (id: string, agent: string | null) =>
    agent === null ? undefined : run(Commands.openAgent, { agent, run: id });
  const services = { agents, connection, run, runtimeTitle, trans };
  fillPlays(tab, { ...services, playbook, plays, confirmPlay, showRun }, plays);
}
