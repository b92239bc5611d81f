/**
 * The event stream of the server: what happened, in order, without holes.
 * After a reconnect it goes on where it stopped; where the server no longer has that, `reset` says
 * that everything must be read anew.
 */
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { Channel } from './channel';
import type { CabinetClient } from './client';
import type { EventFrame } from './types';

export class EventStream implements IDisposable {
  constructor(client: CabinetClient) {
    this.channel = new Channel({
      url: () => client.socketUrl('events', { since: this._seq ?? undefined }),
      socket: client.settings.WebSocket
    });
    this.channel.message.connect(this._onMessage, this);
  }

  readonly channel: Channel;
  readonly happened: ISignal<this, { type: string }> = new Signal<this, { type: string }>(this);
  readonly reset: ISignal<this, void> = new Signal<this, void>(this);

  get isDisposed(): boolean {
    return this.channel.isDisposed;
  }

  open(): void {
    this.channel.open();
  }

  dispose(): void {
    this.channel.dispose();
    Signal.clearData(this);
  }

  private _onMessage(_: Channel, data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      return;
    }
    const frame = JSON.parse(data) as EventFrame;
    if (frame.type === 'reset') {
      this._seq = frame.seq;
      (this.reset as Signal<this, void>).emit();
    } else if (frame.type === 'hello') {
      // The first hello is where our reading starts; later ones follow a `since` and change nothing.
      this._seq ??= frame.seq;
    } else if (frame.type === 'event') {
      this._seq = frame.seq;
      (this.happened as Signal<this, { type: string }>).emit(frame.event);
    }
  }

  private _seq: number | null = null;
}
