/**
 * One viewer's connection to a terminal: attaches, follows offsets, types where it may, answers for itself.
 * The screen is not here: a `IScreen` (xterm in the panel, an array in tests) takes bytes in order and
 * calls back when it has shown them, which is what is acknowledged.
 */
import { Signal, type ISignal } from '@lumino/signaling';

import { Channel } from '../api/channel';
import type { CabinetClient } from '../api/client';
import {
  decodeFrame,
  encodeFrame,
  HEARTBEAT_MS,
  SILENCE_LIMIT_MS,
  SUBPROTOCOL,
  type ClientFrame,
  type Rejection,
  type ServerFrame
} from '../api/terminal';
import type { ScreenSource, Size } from '../api/types';
import { Store } from './store';
import { reduce, refusal, UNKNOWN, type ITerminalState } from './terminal';

export const NOTICE_PAUSE_MS = 3_000;

export interface IScreen {
  readonly size: Size;
  /** Clear everything, after what was written before. */
  reset(): void;
  write(bytes: Uint8Array, shown: () => void): void;
}

export class TerminalStore extends Store {
  constructor(
    client: CabinetClient,
    readonly terminalId: string,
    private readonly _screen: IScreen
  ) {
    super();
    this.channel = new Channel({
      url: () => client.socketUrl(`terminals/${encodeURIComponent(terminalId)}/ws`),
      protocol: SUBPROTOCOL,
      socket: client.settings.WebSocket,
      silenceLimitMs: SILENCE_LIMIT_MS,
      heartbeat: { everyMs: HEARTBEAT_MS, frame: encodeFrame({ type: 'ping' }) }
    });
    this.channel.statusChanged.connect(this._onStatus, this);
    this.channel.message.connect(this._onMessage, this);
  }

  readonly channel: Channel;
  state: ITerminalState = UNKNOWN;
  /** A key was refused; at most once per three seconds. */
  readonly refused: ISignal<this, Rejection> = new Signal<this, Rejection>(this);
  /** Every frame after it took effect, for what is spoken. */
  readonly told: ISignal<this, ServerFrame> = new Signal<this, ServerFrame>(this);

  get connected(): boolean {
    return this.channel.status === 'open' && this.state.you !== null;
  }

  /** Whether the screen shows what was, not what is: nothing may be answered then. */
  get replaying(): boolean {
    return this._shown < this._replayUntil;
  }

  open(): void {
    this.channel.open();
  }

  override dispose(): void {
    this.channel.dispose();
    super.dispose();
  }

  /** A person typed. Without a connection it is gone: the strip says so. */
  type(data: string | Uint8Array): void {
    const reason = this.connected ? refusal(this.state) : null;
    if (reason) {
      this._refuse(reason);
    } else if (this.connected) {
      this.channel.send(typeof data === 'string' ? ENCODER.encode(data) : data);
      this._becomePrimary();
    }
  }

  send(frame: ClientFrame): void {
    this.channel.send(encodeFrame(frame));
  }

  private _onStatus(): void {
    if (this.channel.status === 'open') {
      const known = this._source ? { since: this._received, source: this._source } : {};
      this.send({ type: 'attach', ...known, ...this._screen.size });
    }
    this.tell();
  }

  private _onMessage(_: Channel, data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      this._take(new Uint8Array(data));
      return;
    }
    const frame = decodeFrame(data);
    if (!frame || frame.type === 'pong') {
      return;
    }
    if (frame.type === 'replay') {
      this._startReplay(frame.source, frame.from, frame.until, frame.reset);
    }
    this.state = reduce(this.state, frame, new Date());
    if (frame.type === 'input_rejected') {
      this._refuse(frame.reason);
    }
    (this.told as Signal<this, ServerFrame>).emit(frame);
    this.tell();
  }

  private _startReplay(source: ScreenSource, from: number, until: number, reset: boolean): void {
    if (reset) {
      this._screen.reset();
    }
    this._source = source;
    this._received = from;
    this._replayUntil = until;
    this._shown = from;
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
        this._shown = offset;
        this.send({ type: 'ack', offset });
      }
    });
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

  private _source: ScreenSource | null = null;
  private _received = 0;
  private _shown = 0;
  private _replayUntil = 0;
  private _stretch = 0; // counts replays: a late callback of an earlier one says nothing about this one
  private _lastNotice = -Infinity;
}

const ENCODER = new TextEncoder();
