/**
 * A WebSocket that comes back by itself: growing pauses, a limit to silence, nothing sent twice.
 * The only WebSocket. It knows no frames; `events.ts`, `output.ts` and `terminal.ts` do.
 */
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

/** Before the first attempt after a loss; each further one waits twice as long. */
export const FIRST_PAUSE_MS = 500;
/** However many attempts have failed. */
export const LONGEST_PAUSE_MS = 15_000;

/** `lost`: another attempt is due; `closed`: none will be made. */
export type SocketStatus = 'idle' | 'connecting' | 'open' | 'lost' | 'closed';

/** How a connection is made and kept. */
export interface ISocketOptions {
  /** Called for each attempt, so that a position in the stream can be part of it. */
  url: () => string;
  protocol?: string;
  socket: typeof WebSocket;
  /** Heartbeats that nobody answers for so long drop the connection. */
  silenceLimitMs?: number;
  /** Whether the other side, closing with this code, does not want to be asked again. */
  isFinal?: (code: number, reason: string) => boolean;
  /** Whether an attempt can succeed; until then none is made by itself. */
  mayConnect?: () => boolean;
  /** A frame to send so often, so that the other side answers. */
  heartbeat?: { everyMs: number; frame: string };
}

/** One connection, made again after each loss until it is disposed of or the other side ends it for good. */
export class ReconnectingSocket implements IDisposable {
  constructor(private readonly _options: ISocketOptions) {}

  get status(): SocketStatus {
    return this._status;
  }

  /** When the next attempt is made (`Date.now()` scale); null when none is due, or none may be made. */
  get retryAt(): number | null {
    return this._retryAt;
  }

  /** Attempts that failed since the last open connection. */
  get failures(): number {
    return this._failures;
  }

  get isDisposed(): boolean {
    return this._status === 'closed';
  }

  readonly statusChanged: ISignal<this, SocketStatus> = new Signal<this, SocketStatus>(this);
  readonly message: ISignal<this, string | ArrayBuffer> = new Signal<this, string | ArrayBuffer>(
    this
  );

  open(): void {
    if (this._status === 'idle') {
      window.addEventListener('online', this._onNetwork);
      window.addEventListener('offline', this._onNetwork);
    }
    if (this._status === 'idle' || this._status === 'lost') {
      this._connect();
    }
  }

  /** Send now or not at all: what cannot leave is gone, so that nothing is typed twice. */
  send(data: string | Uint8Array): boolean {
    if (this._socket?.readyState !== 1) {
      return false;
    }
    this._socket.send(data);
    return true;
  }

  retryNow(): void {
    if (this._status === 'lost') {
      this._connect();
    }
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._drop();
    window.removeEventListener('online', this._onNetwork);
    window.removeEventListener('offline', this._onNetwork);
    this._set('closed');
    Signal.clearData(this);
  }

  private _connect(): void {
    this._drop();
    this._set('connecting');
    const { socket: Socket, url, protocol } = this._options;
    const socket = protocol ? new Socket(url(), protocol) : new Socket(url());
    socket.binaryType = 'arraybuffer';
    this._socket = socket;
    socket.onopen = () => {
      this._failures = 0;
      this._startHeartbeat();
      this._set('open');
    };
    socket.onmessage = event => {
      this._heard();
      (this.message as Signal<this, string | ArrayBuffer>).emit(event.data as string | ArrayBuffer);
    };
    socket.onclose = event => {
      if (this._options.isFinal?.(event.code, event.reason)) {
        this.dispose();
      } else {
        this._lose();
      }
    };
  }

  /** The network is gone, or back: the browser knows before a silence tells. */
  private readonly _onNetwork = (event: Event): void => {
    if (event.type === 'online') {
      this.retryNow();
    } else if (this._status === 'open') {
      this._lose();
    }
  };

  private _lose(): void {
    this._drop();
    this._failures += 1;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (this._failures - 1), LONGEST_PAUSE_MS);
    this._retryIn(pause);
    this._set('lost');
  }

  private _retryIn(pause: number): void {
    const mayConnect = () => this._options.mayConnect?.() ?? true;
    this._retryAt = mayConnect() ? Date.now() + pause : null;
    this._retryTimer = setTimeout(() => {
      if (mayConnect()) {
        this._connect();
      } else {
        this._retryIn(LONGEST_PAUSE_MS);
      }
    }, pause);
  }

  private _startHeartbeat(): void {
    const { heartbeat, silenceLimitMs } = this._options;
    if (!heartbeat) {
      return;
    }
    this._heard();
    this._heartbeatTimer = setInterval(() => {
      // A hidden tab's timers come once a minute: silence counts only where somebody was asked to speak.
      const isSilent = this._unanswered > 1 && Date.now() - this._lastHeard > silenceLimitMs!;
      if (silenceLimitMs && isSilent) {
        this._lose();
      } else {
        this._unanswered += 1;
        this.send(heartbeat.frame);
      }
    }, heartbeat.everyMs);
  }

  private _heard(): void {
    this._unanswered = 0;
    this._lastHeard = Date.now();
  }

  private _drop(): void {
    clearTimeout(this._retryTimer);
    clearInterval(this._heartbeatTimer);
    this._retryAt = null;
    const socket = this._socket;
    this._socket = null;
    if (socket) {
      // A late close of an old socket must not count as a loss of the new one.
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
  }

  private _set(status: SocketStatus): void {
    if (status !== this._status || status === 'lost') {
      this._status = status;
      (this.statusChanged as Signal<this, SocketStatus>).emit(status);
    }
  }

  private _status: SocketStatus = 'idle';
  private _socket: WebSocket | null = null;
  private _failures = 0;
  private _lastHeard = 0;
  private _unanswered = 0; // heartbeats since something was heard
  private _retryAt: number | null = null;
  private _retryTimer: ReturnType<typeof setTimeout> | undefined;
  private _heartbeatTimer: ReturnType<typeof setInterval> | undefined;
}
