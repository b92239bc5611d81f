/**
 * The rules on a terminal’s state: who controls, who may type, what is locked. The server decides; this is for
 * showing it, and for not sending what it would refuse. Pure.
 */
import type { Person } from '../../api/types';
import type { Rejection } from '../../api/terminal';
import { PROGRAM } from '../../shared/programs';
import type { ITerminalState } from './state';

/** Whether keys of this person go to the program, but for the lock. */
export function youControl(state: ITerminalState): boolean {
  return state.you !== null && state.controller?.username === state.you.username;
}

/** Whether a program controls that nobody can ask, such as a cell of a notebook. */
export function programControls({ controller, viewers }: ITerminalState): boolean {
  const isHere = viewers.some(({ username }) => username === controller?.username);
  return controller?.username === PROGRAM && !isHere;
}

/** Whether control can be taken without asking anybody. */
export function isFree(state: ITerminalState): boolean {
  return state.controller === null || programControls(state);
}

/** Whether this person waits for control. */
export function youAsked(state: ITerminalState): boolean {
  return yourPlace(state) > 0;
}

/** From 1; 0 for those who do not ask. */
export function yourPlace(state: ITerminalState): number {
  return state.requests.findIndex(person => person.username === state.you?.username) + 1;
}

/** Whether an agent is in the terminal, at work or not. */
export function hasAgent(state: ITerminalState): boolean {
  return state.agentState !== null && state.agentState !== 'stopped';
}

/** Whether the agent can be paused, resumed or stopped by this person, and the terminal closed. */
export function maySteer(state: ITerminalState): boolean {
  return !!state.you?.can_execute && (youControl(state) || !!state.you.may_manage);
}

/** Whether this person may share the terminal or make it private: whoever started it. */
export function mayShare({ you }: ITerminalState): boolean {
  return !!you?.can_execute && !!you.may_share;
}

/** Whether it has to be said who controls: not to who is alone with their own terminal. */
export function tellsControl(state: ITerminalState): boolean {
  return !youControl(state) || others(state).length > 0;
}

/** Everybody else who is connected. */
export function others(state: ITerminalState): Person[] {
  return state.viewers.filter(person => person.username !== state.you?.username);
}

/** Those who look on: everybody but who controls. */
export function watchers(state: ITerminalState): Person[] {
  return state.viewers.filter(person => person.username !== state.controller?.username);
}

/** Whether an agent holds the keyboard, which locks typing for everyone: the soft lock. */
export function isLocked(state: ITerminalState): boolean {
  return state.agentState === 'running' || state.agentState === 'ending';
}

/**
 * Why a key would be refused; null when it may be typed. In the server's order: `tests/fixtures/rules/typing.json` is
 * the table that both are tested with.
 */
export function refusal(state: ITerminalState): Rejection | null {
  if (!state.you?.can_execute) {
    return 'read_only';
  }
  if (state.agentState === 'running') {
    return 'agent_running';
  }
  if (state.agentState === 'ending') {
    return 'ending';
  }
  if (state.exited) {
    return 'exited';
  }
  return youControl(state) ? null : 'not_controller';
}

/** Whether a key was refused for what was so `then` and is not so `now`. */
export function isOvertaken(reason: Rejection, then: ITerminalState, now: ITerminalState): boolean {
  return refusal(then) === reason && refusal(now) !== reason;
}

/** Whether this connection answers a program's queries: the primary of the controller's. */
export function answersQueries(state: ITerminalState): boolean {
  return youControl(state) && state.you!.primary && !state.exited;
}
