/**
 * Why a person cannot do something with agents now, in a sentence; null: they can. Pure. The server decides; this only
 * says it beforehand.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { AgentRow, ApprovalItem, Run } from '../../api/types';
import { PROGRAM } from '../../shared/programs';
import { visible } from '../../shared/untrusted';
import type { AgentVerb } from './agents';

/** Who asks, as the connection knows it. */
export interface IPerson {
  online: boolean;
  mayRun: boolean;
  /** Null until it is known. */
  username: string | null;
  /** The person has an owner's rights over everything. */
  ownsAll: boolean;
  mayPauseAll: boolean;
}

/** Who asks, and how things are. */
export interface ISituation extends IPerson {
  /** Work is paused on the whole root directory. */
  paused: boolean;
}

type Owned = Pick<AgentRow, 'owner'>;
/** `owner_name`: how the owner is called, where that is known. */
type Named = Owned & Partial<Pick<AgentRow, 'owner_name'>>;

/** Whether this person has an owner's rights over an agent, or a run. */
export function isOwner({ owner }: Owned, who: IPerson): boolean {
  return who.ownsAll || owner === who.username;
}

/** To steer or change an agent. `owned`: what only its owner may change; null where everybody may who runs agents. */
export function whyNot(owned: Named | null, who: IPerson, trans: TranslationBundle): string | null {
  if (!who.online) {
    return trans.__('The server cannot be reached.');
  }
  if (!who.mayRun) {
    return trans.__('You can view agents on this server, but not run them.');
  }
  if (owned === null || isOwner(owned, who)) {
    return null;
  }
  // also of folders that were put here by hand
  return owned.owner === PROGRAM
    ? trans.__('Its folder was added by hand, so only an administrator can do this.')
    : trans.__('Only its owner, %1, can do this.', visible(owned.owner_name || owned.owner));
}

/** To tell an agent something. `confirm` lets it act as it is; `run` is the one that works or waits, where it is known. */
export function blockedBecause(
  verb: AgentVerb | 'confirm',
  agent: Named,
  run: Run | undefined,
  who: ISituation,
  trans: TranslationBundle
): string | null {
  if (verb === 'stop') {
    return whyNotStop(run, who, trans);
  }
  if (verb !== 'run') {
    return whyNot(agent, who, trans);
  }
  const paused = who.paused ? trans.__('All agents are paused. Resume all agents first.') : null;
  return whyNot(null, who, trans) ?? paused;
}

/** A run is stopped by who has asked for it, whoever owns its agent. */
function whyNotStop(run: Run | undefined, who: IPerson, trans: TranslationBundle): string | null {
  const why = whyNot(null, who, trans);
  if (why !== null || run === undefined || isOwner(run, who)) {
    return why;
  }
  if (run.owner === PROGRAM) {
    return trans.__('A program started this run, so only an administrator can stop it.');
  }
  const { display_name: name, kind } = run.trigger;
  return kind === 'person'
    ? trans.__('Only %1, who started this run, can stop it.', name)
    : trans.__('Only %1, who is responsible for this run, can stop it.', run.owner);
}

/** To pause and resume all work. */
export function whyNotPauseAll(who: IPerson, trans: TranslationBundle): string | null {
  if (!who.online) {
    return trans.__('The server cannot be reached.');
  }
  return who.mayPauseAll
    ? null
    : trans.__('Only administrators of this server can pause and resume all agents.');
}

/** The name of somebody else who must answer its question; null where this person may, or nothing is asked. */
export function waitsFor(
  agent: Named & Pick<AgentRow, 'status'>,
  asked: readonly ApprovalItem[],
  who: IPerson
): string | null {
  if (agent.status !== 'waiting') {
    return null;
  }
  if (asked.length) {
    return asked.some(item => item.may_answer) ? null : asked[0].approval.owner_name;
  }
  return isOwner(agent, who) ? null : agent.owner_name || agent.owner; // who sees no question of it
}
