/**
 * The event stream of the server: what happened, in order, without holes.
 * After a reconnect it continues where it stopped; if the server no longer has those events, `reset` says
 * that everything must be read again.
 */
import { Signal, type ISignal } from '@lumino/signaling';

import type { SocketStatus } from './reconnectingSocket';
import type { CabinetClient } from './client';
import { FrameStream } from './frames';
import type { EventFrame } from './types';

/** The one event stream of a page. It is opened once and stays open. */
export class EventStream extends FrameStream<EventFrame> {
  constructor(client: CabinetClient) {
    super(client, () => client.socketUrl('events', { since: this._seq ?? undefined }));
  }

  /**
   * Calls `read` whenever what events keep up has to be read: now where there is a connection, after each
   * new one, and where the server no longer has what was missed. Returns what ends it.
   */
  onMissed(read: () => void): () => void {
    const onReset = () => read();
    const onStatus = (_: unknown, status: SocketStatus) => {
      if (status === 'open') {
        read();
      }
    };
    this.reset.connect(onReset);
    this.socket.statusChanged.connect(onStatus);
    if (this.socket.status === 'open') {
      read();
    }
    return () => {
      this.reset.disconnect(onReset);
      this.socket.statusChanged.disconnect(onStatus);
    };
  }

  readonly happened: ISignal<this, { type: string }> = new Signal<this, { type: string }>(this);
  readonly reset: ISignal<this, void> = new Signal<this, void>(this);

  protected take(frame: EventFrame): void {
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
