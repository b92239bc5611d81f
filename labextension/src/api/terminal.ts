/**
 * The wire `cabinet.terminal.v1`: which text frames there are and how they are read and written.
 * Binary messages are a PTY's bytes and are not touched here. No socket, no DOM.
 */
import type { AgentState, Person, ScreenSource, Size, Terminal } from './types';

export const SUBPROTOCOL = 'cabinet.terminal.v1';
export const HEARTBEAT_MS = 10_000;
export const SILENCE_LIMIT_MS = 25_000;

export type Rejection =
  'agent_running' | 'not_controller' | 'busy' | 'ending' | 'exited' | 'read_only';

export type ServerFrame =
  | {
      type: 'hello';
      terminal: Terminal;
      you: Person & { can_execute: boolean; primary: boolean };
      controller: Person | null;
      requests: Person[];
      agent_state: AgentState | null;
      size: Size;
      viewers: Person[];
      offset: number;
    }
  | { type: 'replay'; source: ScreenSource; from: number; until: number; reset: boolean }
  | { type: 'control_taken'; controller: Person }
  | { type: 'control_requested'; by: Person; requests: Person[] }
  | { type: 'control_withdrawn'; by: Person; requests: Person[] }
  | { type: 'control_granted'; controller: Person; requests: Person[] }
  | { type: 'control_denied'; to: Person; requests: Person[] }
  | { type: 'control_revoked'; by: Person }
  | { type: 'control_expired'; reason: 'away' | 'idle' }
  | { type: 'controller_away'; controller: Person; grace_seconds: number }
  | { type: 'controller_back'; controller: Person }
  | { type: 'agent_state'; state: AgentState | null; title: string | null; reason: string }
  | { type: 'resized'; cols: number; rows: number }
  | { type: 'viewers'; viewers: Person[] }
  | { type: 'input_rejected'; reason: Rejection }
  | { type: 'title'; text: string }
  | { type: 'exited'; code: number | null; signal: number | null }
  | { type: 'pong' }
  | { type: 'error'; kind: string; message: string };

export type ClientFrame =
  | ({ type: 'attach'; since?: number; source?: ScreenSource } & Size)
  | ({ type: 'resize' } & Size)
  | { type: 'request_control' }
  | { type: 'withdraw_request' }
  | { type: 'grant_control'; to: string }
  | { type: 'deny_control'; to: string }
  | { type: 'revoke_control' }
  | { type: 'ack'; offset: number }
  | { type: 'reply'; data: string }
  | { type: 'signal'; name: 'INT' | 'QUIT' | 'TSTP' }
  | { type: 'ping' };

const SERVER_TYPES: ReadonlySet<string> = new Set<ServerFrame['type']>([
  'hello',
  'replay',
  'control_taken',
  'control_requested',
  'control_withdrawn',
  'control_granted',
  'control_denied',
  'control_revoked',
  'control_expired',
  'controller_away',
  'controller_back',
  'agent_state',
  'resized',
  'viewers',
  'input_rejected',
  'title',
  'exited',
  'pong',
  'error'
]);

/** Read a text frame; null for one this version does not know, which is passed over. */
export function decodeFrame(text: string): ServerFrame | null {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return null;
  }
  const type = (frame as { type?: unknown } | null)?.type;
  return typeof type === 'string' && SERVER_TYPES.has(type) ? withDefaults(frame) : null;
}

export function encodeFrame(frame: ClientFrame): string {
  return JSON.stringify(frame);
}

/** The server leaves nothing out today; a later one may leave out what has a default. */
function withDefaults(frame: unknown): ServerFrame {
  const known = frame as ServerFrame;
  switch (known.type) {
    case 'hello':
      return { ...known, requests: known.requests ?? [], viewers: known.viewers ?? [] };
    case 'agent_state':
      return { ...known, title: known.title ?? null, reason: known.reason ?? '' };
    default:
      return known;
  }
}
