/**
 * A one-way stream of JSON frames: a `ReconnectingSocket` that reads, and what its readers have in common.
 * It knows no frames; `events.ts` and `output.ts` do.
 */
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { ReconnectingSocket } from './reconnectingSocket';
import type { CabinetClient } from './client';

/** A subclass says where it reads from and what each frame means. */
export abstract class FrameStream<Frame> implements IDisposable {
  constructor(client: CabinetClient, url: () => string) {
    this.socket = new ReconnectingSocket({
      url,
      socket: client.settings.WebSocket,
      mayConnect: () => !client.isLoggedOut
    });
    this.socket.message.connect((_, data) => {
      if (typeof data === 'string') {
        this.take(JSON.parse(data) as Frame);
      }
    });
  }

  readonly socket: ReconnectingSocket;

  get isDisposed(): boolean {
    return this.socket.isDisposed;
  }

  open(): void {
    this.socket.open();
  }

  dispose(): void {
    this.socket.dispose();
    Signal.clearData(this);
  }

  protected abstract take(frame: Frame): void;
}
