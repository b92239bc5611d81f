/**
 * What a viewer knows of a terminal, and the pure rules on it: who types, what is locked, and what
 * each frame changes. The server decides; this is for showing it and for not sending what it would refuse.
 */
import type { AgentState, Person, Size } from '../api/types';
import type { Rejection, ServerFrame } from '../api/terminal';

export interface ITerminalState {
  /** Null before the first `hello`. */
  you: (Person & { can_execute: boolean; primary: boolean }) | null;
  controller: Person | null;
  /** The controller's connection is gone and control is kept for a while. */
  away: boolean;
  requests: readonly Person[];
  agentState: AgentState | null;
  agentTitle: string | null;
  size: Size | null;
  viewers: readonly Person[];
  title: string;
  exited: {
    code: number | null;
    signal: number | null;
    at: Date | null;
  } | null;
  /** The screen was rebuilt from the end of what the server keeps; older lines are missing. */
  rebuilt: boolean;
}

export const UNKNOWN: ITerminalState = {
  you: null,
  controller: null,
  away: false,
  requests: [],
  agentState: null,
  agentTitle: null,
  size: null,
  viewers: [],
  title: '',
  exited: null,
  rebuilt: false
};

export function youControl(state: ITerminalState): boolean {
  return state.you !== null && state.controller?.username === state.you.username;
}

export function youAsked(state: ITerminalState): boolean {
  return state.requests.some(person => person.username === state.you?.username);
}

/** Why a key would be refused; null when it may be typed. */
export function refusal(state: ITerminalState): Rejection | null {
  if (state.exited) {
    return 'exited';
  }
  if (state.agentState === 'running') {
    return 'agent_running';
  }
  if (state.agentState === 'ending') {
    return 'ending';
  }
  if (!state.you?.can_execute) {
    return 'read_only';
  }
  return youControl(state) ? null : 'not_controller';
}

/** Whether this connection answers a program's queries: the primary of the controller's. */
export function answersQueries(state: ITerminalState): boolean {
  return youControl(state) && state.you!.primary && !state.exited;
}

export function reduce(state: ITerminalState, frame: ServerFrame, now: Date): ITerminalState {
  switch (frame.type) {
    case 'hello':
      return {
        ...UNKNOWN,
        you: frame.you,
        controller: frame.controller,
        requests: frame.requests,
        agentState: frame.agent_state,
        agentTitle: frame.terminal.agent_title ?? state.agentTitle,
        size: frame.size,
        viewers: frame.viewers,
        title: state.title
      };
    case 'replay':
      return { ...state, rebuilt: frame.reset && frame.from > 0 };
    case 'control_taken':
      return controlledBy(state, frame.controller, state.requests);
    case 'control_granted':
      return controlledBy(state, frame.controller, frame.requests);
    case 'control_requested':
    case 'control_withdrawn':
    case 'control_denied':
      return { ...state, requests: frame.requests };
    case 'control_revoked':
    case 'control_expired':
      return { ...state, controller: null, away: false };
    case 'controller_away':
      return { ...state, controller: frame.controller, away: true };
    case 'controller_back':
      return { ...state, controller: frame.controller, away: false };
    case 'agent_state':
      return {
        ...state,
        agentState: frame.state,
        agentTitle: frame.title ?? state.agentTitle
      };
    case 'resized':
      return { ...state, size: { cols: frame.cols, rows: frame.rows } };
    case 'viewers':
      return { ...state, viewers: frame.viewers };
    case 'title':
      return { ...state, title: frame.text };
    case 'exited':
      return {
        ...state,
        exited: { code: frame.code, signal: frame.signal, at: now }
      };
    default:
      return state;
  }
}

/** Who has typed, or has just taken control, has the connection that answers. */
function controlledBy(
  state: ITerminalState,
  controller: Person,
  requests: readonly Person[]
): ITerminalState {
  const you = state.you && {
    ...state.you,
    primary: controller.username === state.you.username || state.you.primary
  };
  return {
    ...state,
    you,
    controller,
    away: false,
    requests: requests.filter(person => person.username !== controller.username)
  };
}
