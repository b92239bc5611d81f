/**
 * Why a person cannot tell an agent something now, in a sentence. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { AgentRow } from '../../api/types';
import type { AgentVerb } from './agents';

/** Who asks, and how things are. */
export interface ISituation {
  online: boolean;
  /** Null until it is known. */
  username: string | null;
  /** The person has an owner's rights over everything. */
  ownsAll: boolean;
  /** Work is paused on the whole root directory. */
  paused: boolean;
}

/** Has the agents whose folders were put there by hand. */
const NOBODY = 'owner';

/** Whether this person may change the agent. */
export function isOwner({ owner }: Pick<AgentRow, 'owner'>, who: ISituation): boolean {
  return who.ownsAll || owner === who.username;
}

/** Null: they can. `confirm` lets an agent act as it is. The server decides; this only says it beforehand. */
export function blockedBecause(
  verb: AgentVerb | 'confirm',
  agent: Pick<AgentRow, 'owner'>,
  who: ISituation,
  trans: TranslationBundle
): string | null {
  if (!who.online) {
    return trans.__('The server cannot be reached.');
  }
  if (verb === 'run') {
    return who.paused ? trans.__('Everything is paused. Resume all first.') : null;
  }
  if (isOwner(agent, who)) {
    return null;
  }
  return agent.owner === NOBODY
    ? trans.__('Somebody put its folder here: only an administrator may do this.')
    : trans.__('Only its owner, %1, may do this.', agent.owner);
}
