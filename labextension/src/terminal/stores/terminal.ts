/**
 * One viewer's connection to a terminal: attaches, follows offsets, types where it may, answers for itself.
 * The screen is not here: a `IScreen` (xterm in the panel, an array in tests) takes bytes in order and
 * calls back when it has shown them, which is what is acknowledged.
 */
import { Signal, type ISignal } from '@lumino/signaling';

import { ReconnectingSocket, type SocketStatus } from '../../api/reconnectingSocket';
import { ApiError, type CabinetClient } from '../../api/client';
import {
  decodeFrame,
  encodeFrame,
  HEARTBEAT_MS,
  SILENCE_LIMIT_MS,
  SUBPROTOCOL,
  type ClientFrame,
  type Rejection,
  type ServerFrame
} from '../../api/terminal';
import type { ScreenSource, Size } from '../../api/types';
import { ACK_PAUSE_MS, Acks } from './acks';
import { Store } from '../../shared/store';
import { reduce, UNKNOWN, type ITerminalState } from './state';
import { refusal, youControl } from './rules';

/** Between two notices of refused keys. */
export const NOTICE_PAUSE_MS = 3_000;
/** How long control is kept for those whose connection drops, until the server has said otherwise. */
const GRACE_MS = 10_000;
/** The close code if the terminal is gone. */
const TERMINAL_GONE = 1000;
/** The close code if the terminal has become private to another person. */
const TERMINAL_HIDDEN = 4404;

/** What shows the bytes. */
export interface IScreen {
  /** What fits into the pane; the size shown may be another person's. */
  readonly size: Size;
  /** Clear everything, after what was written before. */
  reset(): void;
  write(bytes: Uint8Array, shown: () => void): void;
}

/** A frame, and the state before it took effect. */
export interface IReceivedFrame {
  frame: ServerFrame;
  before: ITerminalState;
}

/**
 * Positions are bytes since the program’s start. It connects by `open`, and again after each loss until it
 * is `gone`.
 */
export class TerminalStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    readonly terminalId: string,
    private readonly _screen: IScreen
  ) {
    super();
    this.socket = new ReconnectingSocket({
      url: () => _client.socketUrl(`terminals/${encodeURIComponent(terminalId)}/ws`),
      protocol: SUBPROTOCOL,
      socket: _client.settings.WebSocket,
      mayConnect: () => !_client.isLoggedOut,
      silenceLimitMs: SILENCE_LIMIT_MS,
      heartbeat: { everyMs: HEARTBEAT_MS, frame: encodeFrame({ type: 'ping' }) },
      isFinal: (code, reason) => {
        this.closedBecause = reason;
        if (code === TERMINAL_HIDDEN) {
          this.gone = 'private';
        }
        return code === TERMINAL_GONE || code === TERMINAL_HIDDEN;
      }
    });
    this.socket.statusChanged.connect(this._onStatus, this);
    this.socket.message.connect(this._onMessage, this);
  }

  readonly socket: ReconnectingSocket;
  state: ITerminalState = UNKNOWN;
  /** The first size that this pane reported; the terminal gets it if this person controls. */
  attachedSize: Size | null = null;
  /** Why there is nothing to connect to any more; null while there may be. */
  gone: 'closed' | 'unknown' | 'not_allowed' | 'private' | null = null;
  /** What the server says of that, such as who has closed it; empty if it says nothing. */
  closedBecause = '';
  /** Without a connection: until when control is kept for this person. */
  keptForYouUntil: Date | null = null;
  /** A key was refused; at most once per three seconds. */
  readonly refused: ISignal<this, Rejection> = new Signal<this, Rejection>(this);
  /** Every frame after it took effect, with the state before it, for what is spoken. */
  readonly told: ISignal<this, IReceivedFrame> = new Signal<this, IReceivedFrame>(this);

  get connected(): boolean {
    return this.socket.status === 'open' && this.state.you !== null;
  }

  get isLost(): boolean {
    const { status, failures } = this.socket;
    return status === 'lost' || (status === 'connecting' && failures > 0);
  }

  /** Whether the screen shows what was, not what is: nothing may be answered then. */
  get replaying(): boolean {
    return this._shown < this._replayUntil;
  }

  open(): void {
    this.socket.open();
  }

  override dispose(): void {
    this._forgetAck();
    super.dispose(); // first: who looks away from a terminal does not close it
    this.socket.dispose();
  }

  /** A person typed. Without a connection it is gone: the strip says so. */
  type(data: string | Uint8Array): void {
    const reason = this.connected ? refusal(this.state) : null;
    if (reason) {
      this._refuse(reason);
    } else if (this.connected) {
      this.socket.send(typeof data === 'string' ? ENCODER.encode(data) : data);
      this._becomePrimary();
    }
  }

  send(frame: ClientFrame): void {
    this.socket.send(encodeFrame(frame));
  }

  private _onStatus(_: ReconnectingSocket, status: SocketStatus): void {
    if (status === 'open') {
      const known = this._source ? { since: this._received, source: this._source } : {};
      this.attachedSize = this._screen.size;
      this.send({ type: 'attach', ...known, ...this.attachedSize });
    } else if (status === 'lost') {
      this._lost();
    } else if (status === 'closed' && !this.isDisposed) {
      this.gone ??= 'closed';
    }
    this.tell();
  }

  private _lost(): void {
    this._forgetAck();
    if (youControl(this.state) && !this.state.exited) {
      this.keptForYouUntil ??= new Date(Date.now() + this._graceMs);
    }
    // A handshake that is refused tells no reason: ask whether there is such a terminal.
    if (this.socket.failures > 1 || this.state.you === null) {
      void this._client.terminal(this.terminalId).catch(reason => this._notFound(reason));
    }
  }

  private _notFound(reason: unknown): void {
    const status = reason instanceof ApiError ? reason.status : 0;
    if (!this.isDisposed && (status === 404 || status === 403)) {
      if (reason instanceof ApiError && reason.detail.reason === 'made_private') {
        this.gone = 'private';
        this.closedBecause = reason.message;
      } else {
        this.gone = status === 404 ? (this.state.you ? 'closed' : 'unknown') : 'not_allowed';
      }
      this.socket.dispose();
      this.tell();
    }
  }

  private _onMessage(_: ReconnectingSocket, data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      this._take(new Uint8Array(data));
      return;
    }
    const frame = decodeFrame(data);
    if (!frame || frame.type === 'pong') {
      return;
    }
    if (frame.type === 'replay') {
      this._startReplay(frame);
    } else if (frame.type === 'hello') {
      this.keptForYouUntil = null;
    } else if (frame.type === 'controller_away') {
      this._graceMs = frame.grace_seconds * 1000;
    }
    const before = this.state;
    this.state = reduce(before, frame, new Date());
    if (frame.type === 'input_rejected') {
      this._refuse(frame.reason);
    }
    (this.told as Signal<this, IReceivedFrame>).emit({ frame, before });
    this.tell();
  }

  private _startReplay(replay: ServerFrame & { type: 'replay' }): void {
    if (replay.reset) {
      this._screen.reset();
      if (replay.prelude) {
        this._screen.write(ENCODER.encode(replay.prelude), () => undefined);
      }
    }
    this._source = replay.source;
    this._received = replay.from;
    this._replayUntil = replay.until;
    this._shown = replay.from;
    this._acks.start(replay.from);
    this._forgetAck();
    this._stretch += 1;
  }

  /** Bytes go to the screen in pieces that end where the replay ends, so that it is known what is shown. */
  private _take(bytes: Uint8Array): void {
    const left = this._replayUntil - this._received;
    if (left > 0 && left < bytes.length) {
      this._take(bytes.subarray(0, left));
      this._take(bytes.subarray(left));
      return;
    }
    const stretch = this._stretch;
    const offset = (this._received += bytes.length);
    this._screen.write(bytes, () => {
      if (stretch === this._stretch) {
        this._drawn(offset);
      }
    });
  }

  private _drawn(offset: number): void {
    const wasReplaying = this.replaying;
    this._shown = offset;
    const due = this._acks.due(offset, this._received);
    if (due === 'now') {
      this._acknowledge();
    } else if (due === 'soon') {
      this._ackTimer ??= setTimeout(() => this._acknowledge(), ACK_PAUSE_MS);
    }
    if (wasReplaying && !this.replaying) {
      this.tell();
    }
  }

  private _acknowledge(): void {
    this._forgetAck();
    this._acks.told(this._shown);
    this.send({ type: 'ack', offset: this._shown });
  }

  /** What was drawn says nothing to another connection, or about another stretch. */
  private _forgetAck(): void {
    clearTimeout(this._ackTimer);
    this._ackTimer = undefined;
  }

  private _refuse(reason: Rejection): void {
    const now = Date.now();
    if (now - this._lastNotice >= NOTICE_PAUSE_MS) {
      this._lastNotice = now;
      (this.refused as Signal<this, Rejection>).emit(reason);
    }
  }

  private _becomePrimary(): void {
    if (this.state.you && !this.state.you.primary) {
      this.state = { ...this.state, you: { ...this.state.you, primary: true } };
    }
  }

  private readonly _acks = new Acks();
  private _ackTimer: ReturnType<typeof setTimeout> | undefined;
  private _graceMs = GRACE_MS;
  private _source: ScreenSource | null = null;
  private _received = 0;
  private _shown = 0;
  private _replayUntil = 0;
  private _stretch = 0; // counts replays: a late callback of an earlier one says nothing about this one
  private _lastNotice = -Infinity;
}

const ENCODER = new TextEncoder();
