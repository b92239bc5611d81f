/**
 * A WebSocket that comes back by itself: growing pauses, a limit to silence, nothing sent twice.
 * The only WebSocket. It knows no frames; `events.ts`, `output.ts` and `terminal.ts` do.
 */
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

export const FIRST_PAUSE_MS = 500;
export const LONGEST_PAUSE_MS = 15_000;

export type ChannelStatus = 'idle' | 'connecting' | 'open' | 'lost' | 'closed';

export interface IChannelOptions {
  /** Asked anew at each attempt, so that a position in the stream can be part of it. */
  url: () => string;
  protocol?: string;
  socket: typeof WebSocket;
  /** A connection on which nothing arrives for so long is dropped. */
  silenceLimitMs?: number;
  /** A frame to send so often, so that the other side answers. */
  heartbeat?: { everyMs: number; frame: string };
}

export class Channel implements IDisposable {
  constructor(private readonly _options: IChannelOptions) {}

  get status(): ChannelStatus {
    return this._status;
  }

  /** When the next attempt is made (`Date.now()` scale); null when none is due. */
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

  readonly statusChanged: ISignal<this, ChannelStatus> = new Signal<this, ChannelStatus>(this);
  readonly message: ISignal<this, string | ArrayBuffer> = new Signal<this, string | ArrayBuffer>(
    this
  );

  open(): void {
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
      this._lastHeard = Date.now();
      (this.message as Signal<this, string | ArrayBuffer>).emit(event.data as string | ArrayBuffer);
    };
    socket.onclose = () => this._lose();
  }

  private _lose(): void {
    this._drop();
    this._failures += 1;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (this._failures - 1), LONGEST_PAUSE_MS);
    this._retryAt = Date.now() + pause;
    this._retryTimer = setTimeout(() => this._connect(), pause);
    this._set('lost');
  }

  private _startHeartbeat(): void {
    const { heartbeat, silenceLimitMs } = this._options;
    if (!heartbeat) {
      return;
    }
    this._lastHeard = Date.now();
    this._heartbeatTimer = setInterval(() => {
      if (silenceLimitMs && Date.now() - this._lastHeard > silenceLimitMs) {
        this._lose();
      } else {
        this.send(heartbeat.frame);
      }
    }, heartbeat.everyMs);
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

  private _set(status: ChannelStatus): void {
    if (status !== this._status || status === 'lost') {
      this._status = status;
      (this.statusChanged as Signal<this, ChannelStatus>).emit(status);
    }
  }

  private _status: ChannelStatus = 'idle';
  private _socket: WebSocket | null = null;
  private _failures = 0;
  private _lastHeard = 0;
  private _retryAt: number | null = null;
  private _retryTimer: ReturnType<typeof setTimeout> | undefined;
  private _heartbeatTimer: ReturnType<typeof setInterval> | undefined;
}
