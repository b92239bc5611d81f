/**
 * Which keys in a terminal are Cabinet's own, rather than the program's: only while they mean something.
 * Pure; the keys themselves come from the settings, so that a person's own choice counts.
 */
import { youAsked, youControl } from './rules';
import type { ITerminalState } from './state';

/** What can be done about who controls. */
export type TurnVerb = 'request' | 'withdraw' | 'release' | 'give' | 'deny';

/** What a person can do about the turn now. */
export function turnVerbs(state: ITerminalState): TurnVerb[] {
  if (!state.you?.can_execute || state.exited) {
    return [];
  }
  if (youControl(state)) {
    return state.requests.length ? ['release', 'give', 'deny'] : ['release'];
  }
  return [youAsked(state) ? 'withdraw' : 'request'];
}

/** Whether a key bound to `verb` is ours now; else the program gets it. */
export function isOurs(verb: 'request' | 'give' | 'deny', state: ITerminalState): boolean {
  const verbs = turnVerbs(state);
  return verb === 'request'
    ? verbs.includes('request') || verbs.includes('withdraw')
    : verbs.includes(verb);
}
