/**
 * What plays are shown with, in their own tab and on the page of the agent that carries them out.
 */
import * as React from 'react';

import type { PlayRow } from '../../../api/types';
import { useChanges } from '../../../shared/views/hooks';
import type { PlaysStore } from '../../stores/plays/board';
import { whyNot } from '../../stores/rights';
import type { Playbook } from '../../stores/plays/playbook';
import type { INames } from '../../stores/plays/words';
import type { IAgentServices } from '../services';

/** Made once for a page. */
export interface IPlayServices extends Pick<
  IAgentServices,
  'agents' | 'connection' | 'run' | 'trans'
> {
  playbook: Playbook;
  /** The list that the play is chosen from; null on the page of an agent. */
  plays: PlaysStore | null;
  /** Show what the play wants to be allowed, and let it act where the person says so. */
  confirmPlay: (slug: string) => Promise<void>;
  /** Show a run of a play, of the agent that carries it out. */
  showRun: (runId: string) => void;
}

export const PlayContext = React.createContext<IPlayServices | null>(null);

/** Only below a `PlayContext`. */
export function usePlays(): IPlayServices {
  return React.useContext(PlayContext)!;
}

/** How people call agents and plays. Renders again when more is known of agents. `rows`: the plays that are shown. */
export function useNames(rows: readonly PlayRow[] = []): INames {
  const { agents, plays } = usePlays();
  React.useEffect(() => agents.watchAll(), [agents]);
  useChanges(agents.changed);
  const known = plays?.plays ?? rows;
  return {
    agent: slug => agents.nameOf(slug),
    play: slug => known.find(each => each.slug === slug)?.title || slug
  };
}

/** Why this person cannot start a play, or change this one; null: they can. */
export function useRights(play: Pick<PlayRow, 'may_change'> | null): {
  start: string | null;
  change: string | null;
} {
  const { connection, trans } = usePlays();
  useChanges(connection.changed);
  const start = whyNot(null, connection, trans);
  const isOthers = play !== null && !play.may_change;
  const others = trans.__('Only somebody who owns all agents of this play can do this.');
  return { start, change: start ?? (isOthers ? others : null) };
}
