/**
 * What a person can do about the turn in a terminal. Pure.
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
