/**
 * What a viewer knows of a terminal, and what each frame of the server changes in it. What follows from it is in
 * `rules.ts`. Pure.
 */
import type { AgentState, Person, ScreenSource, Size } from '../../api/types';
import type { ServerFrame } from '../../api/terminal';
import { hasAgent } from './rules';

type You = (ServerFrame & { type: 'hello' })['you'];

/** How and when a program ended; one of `code` and `signal`, or neither where it is not known. */
export interface IEnd {
  code: number | null;
  signal: number | null;
  at: Date;
  /** Who ended it, where somebody did. */
  by?: Person | null;
}

/** An agent that waits for a place. */
export interface IQueued {
  title: string;
  by: Person | null;
  /** Place in line, from 1. */
  position: number | null;
  /** Who has paused all agents, if they are paused. */
  pausedBy: string | null;
}

/** Null and empty are what is not known yet. */
export interface ITerminalState {
  /** Null before the first `hello`. */
  you: You | null;
  name: string;
  runId: string | null;
  controller: Person | null;
  /** The controller's connection is gone and control is kept until then. */
  keptUntil: Date | null;
  /** People who ask for control, in order. */
  requests: readonly Person[];
  /** When each of them asked, as far as this page has seen it. */
  askedAt: Readonly<Record<string, Date>>;
  /** Who has not given control to this person when they asked last. */
  refusedBy: Person | null;
  refusedAt: Date | null;
  agentState: AgentState | null;
  agentTitle: string | null;
  /** What the agent waits for, or empty. */
  agentReason: string;
  agentSince: Date | null;
  agentEnd: IEnd | null;
  /** An agent that is to start here and waits for its turn. */
  queued: IQueued | null;
  size: Size | null;
  viewers: readonly Person[];
  source: ScreenSource | null;
  title: string;
  cwd: string | null;
  recording: boolean;
  recorded: boolean;
  exited: IEnd | null;
  /** The screen was rebuilt from the end of what the server keeps. */
  rebuilt: { bytes: number; at: Date } | null;
}

/** Before the first frame. */
export const UNKNOWN: ITerminalState = {
  you: null,
  name: '',
  runId: null,
  controller: null,
  keptUntil: null,
  requests: [],
  askedAt: {},
  refusedBy: null,
  refusedAt: null,
  agentState: null,
  agentTitle: null,
  agentReason: '',
  agentSince: null,
  agentEnd: null,
  queued: null,
  size: null,
  viewers: [],
  source: null,
  title: '',
  cwd: null,
  recording: false,
  recorded: false,
  exited: null,
  rebuilt: null
};

/**
 * The state after `frame`, which came at `now`. Never changes the state it is given; frames that show
 * nothing change nothing.
 */
export function reduce(state: ITerminalState, frame: ServerFrame, now: Date): ITerminalState {
  switch (frame.type) {
    case 'hello':
      return greeted(state, frame, now);
    case 'replay':
      return {
        ...state,
        source: frame.source,
        rebuilt:
          frame.reset && frame.from > 0 && state.source === frame.source
            ? { bytes: frame.until - frame.from, at: now }
            : null
      };
    case 'control_taken':
      return controlledBy(state, frame.controller, state.requests);
    case 'control_granted':
      return controlledBy(state, frame.controller, frame.requests);
    case 'control_requested':
      return {
        ...state,
        requests: frame.requests,
        askedAt: { ...state.askedAt, [frame.by.username]: now },
        refusedBy: frame.by.username === state.you?.username ? null : state.refusedBy
      };
    case 'control_withdrawn':
      return { ...state, requests: frame.requests };
    case 'control_denied': {
      const isYou = frame.to.username === state.you?.username;
      return {
        ...state,
        requests: frame.requests,
        refusedBy: isYou ? state.controller : state.refusedBy,
        refusedAt: isYou ? now : state.refusedAt
      };
    }
    case 'control_revoked':
    case 'control_expired':
      return { ...state, controller: null, keptUntil: null, refusedBy: null };
    case 'controller_away':
      return {
        ...state,
        controller: frame.controller,
        keptUntil: keptUntil(frame.grace_seconds, now)
      };
    case 'controller_back':
      return { ...state, controller: frame.controller, keptUntil: null };
    case 'resized':
      return { ...state, size: { cols: frame.cols, rows: frame.rows } };
    case 'viewers':
      return { ...state, viewers: frame.viewers };
    case 'right':
      return {
        ...state,
        you: state.you && { ...state.you, can_execute: frame.can_execute }
      };
    default:
      return programChanged(state, frame, now);
  }
}

/** Frames about what runs in the terminal, rather than who is at it. */
function programChanged(state: ITerminalState, frame: ServerFrame, now: Date): ITerminalState {
  switch (frame.type) {
    case 'agent_state':
      return agentChanged(state, frame, now);
    case 'agent_queued':
      return { ...state, queued: queuedIn(frame) };
    case 'title':
      return { ...state, title: frame.text };
    case 'cwd':
      return { ...state, cwd: frame.path };
    case 'recording':
      return { ...state, recording: frame.on, recorded: frame.recorded };
    case 'exited':
      return { ...state, exited: { ...how(frame), at: new Date(frame.ended_at) } };
    default:
      return state;
  }
}

function queuedIn(frame: ServerFrame & { type: 'agent_queued' }): IQueued | null {
  const { title, by, position, paused_by: pausedBy } = frame;
  return title === null ? null : { title, by, position, pausedBy };
}

function greeted(
  state: ITerminalState,
  frame: ServerFrame & { type: 'hello' },
  now: Date
): ITerminalState {
  const { terminal } = frame;
  // How an agent ended is announced once: it is still true after a break.
  const agentEnd = frame.agent_state === 'stopped' ? state.agentEnd : null;
  return {
    ...UNKNOWN,
    you: frame.you,
    name: terminal.name,
    runId: terminal.run_id,
    controller: frame.controller,
    keptUntil: frame.grace_seconds === null ? null : keptUntil(frame.grace_seconds, now),
    requests: frame.requests,
    askedAt: Object.fromEntries(
      frame.requests.map(({ username }) => [username, state.askedAt[username] ?? now])
    ),
    agentState: frame.agent_state,
    agentTitle: terminal.agent_title ?? state.agentTitle,
    agentReason: frame.agent_state === state.agentState ? state.agentReason : '',
    agentSince: terminal.agent_since ? new Date(terminal.agent_since) : null,
    agentEnd,
    size: frame.size,
    viewers: frame.viewers,
    source: state.source,
    title: state.title,
    cwd: terminal.cwd ?? null,
    recording: terminal.recording ?? false,
    recorded: terminal.recorded ?? false
  };
}

const keptUntil = (seconds: number, now: Date) => new Date(now.getTime() + seconds * 1000);

const how = ({ code, signal }: Pick<IEnd, 'code' | 'signal'>) => ({ code, signal });

function agentChanged(
  state: ITerminalState,
  frame: ServerFrame & { type: 'agent_state' },
  now: Date
): ITerminalState {
  return {
    ...state,
    agentState: frame.state,
    agentTitle: frame.title ?? state.agentTitle,
    agentReason: frame.reason,
    agentSince: frame.since ? new Date(frame.since) : state.agentSince,
    agentEnd:
      frame.state === 'stopped'
        ? { ...how(frame), at: frame.ended_at ? new Date(frame.ended_at) : now, by: frame.by }
        : null,
    // A further agent begins on a separate PTY: the end of the previous one says nothing about it.
    exited: frame.state === 'running' && !hasAgent(state) ? null : state.exited
  };
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
    keptUntil: null,
    refusedBy: null,
    requests: requests.filter(person => person.username !== controller.username)
  };
}
