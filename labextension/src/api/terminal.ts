/**
 * The wire `cabinet.terminal.v1`: which text frames there are and how they are read and written.
 * Binary messages are a PTY's bytes and are not touched here. No socket, no DOM.
 */
import type { components } from './schema';

type Schemas = components['schemas'];

/** Named in the handshake; a server that does not speak it refuses. */
export const SUBPROTOCOL = 'cabinet.terminal.v1';
/** Between two pings of this page. */
export const HEARTBEAT_MS = 10_000;
/** Without any frame of the server for so long the connection counts as lost. */
export const SILENCE_LIMIT_MS = 25_000;

/** Why the server takes no keys. */
export type Rejection = Schemas['InputRejected']['reason'];

/** All that a server of this version says in text. */
export type ServerFrame =
  | Schemas['Hello']
  | Schemas['Replay']
  | Schemas['ControlTaken']
  | Schemas['ControlRequested']
  | Schemas['ControlWithdrawn']
  | Schemas['ControlGranted']
  | Schemas['ControlDenied']
  | Schemas['ControlRevoked']
  | Schemas['ControlExpired']
  | Schemas['ControllerAway']
  | Schemas['ControllerBack']
  | Schemas['AgentStateChanged']
  | Schemas['AgentQueued']
  | Schemas['Resized']
  | Schemas['Viewers']
  | Schemas['InputRejected']
  | Schemas['CwdChanged']
  | Schemas['RecordingChanged']
  | Schemas['RightChanged']
  | Schemas['Title']
  | Schemas['Exited']
  | Schemas['Pong']
  | Schemas['ErrorFrame'];

/** All that this page says in text. */
export type ClientFrame =
  | ({ type: 'attach' } & Pick<Schemas['Attach'], 'cols' | 'rows'> & Partial<Schemas['Attach']>)
  | Schemas['Resize']
  | Schemas['RequestControl']
  | Schemas['WithdrawRequest']
  | Schemas['GrantControl']
  | Schemas['DenyControl']
  | Schemas['RevokeControl']
  | Schemas['Ack']
  | Schemas['Reply']
  | Schemas['Signal']
  | Schemas['Ping'];

/** The compiler wants each type here, the golden frames of the server's tests each frame in the union. */
const SERVER_TYPES: Readonly<Record<ServerFrame['type'], true>> = {
  hello: true,
  replay: true,
  control_taken: true,
  control_requested: true,
  control_withdrawn: true,
  control_granted: true,
  control_denied: true,
  control_revoked: true,
  control_expired: true,
  controller_away: true,
  controller_back: true,
  agent_state: true,
  agent_queued: true,
  resized: true,
  viewers: true,
  input_rejected: true,
  cwd: true,
  recording: true,
  right: true,
  title: true,
  exited: true,
  pong: true,
  error: true
};

/** Read a text frame; null for one this version does not know, which is passed over. */
export function decodeFrame(text: string): ServerFrame | null {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return null;
  }
  const type = (frame as { type?: unknown } | null)?.type;
  return typeof type === 'string' && Object.hasOwn(SERVER_TYPES, type) ? withDefaults(frame) : null;
}

/** As one line of JSON. */
export function encodeFrame(frame: ClientFrame): string {
  return JSON.stringify(frame);
}

/** The server leaves nothing out today; a later one may leave out what has a default. */
function withDefaults(frame: unknown): ServerFrame {
  const known = frame as ServerFrame;
  switch (known.type) {
    case 'hello':
      return {
        ...known,
        requests: known.requests ?? [],
        viewers: known.viewers ?? []
      };
    case 'replay':
      return { ...known, prelude: known.prelude ?? '' };
    case 'agent_state':
      return {
        ...known,
        title: known.title ?? null,
        reason: known.reason ?? '',
        by: known.by ?? null,
        since: known.since ?? null,
        code: known.code ?? null,
        signal: known.signal ?? null,
        ended_at: known.ended_at ?? null
      };
    default:
      return known;
  }
}
