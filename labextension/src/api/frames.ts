/**
 * A one-way stream of JSON frames: a `Channel` that reads, and what its readers have in common.
 * It knows no frames; `events.ts` and `output.ts` do.
 */
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { Channel } from './channel';
import type { CabinetClient } from './client';

/** A subclass says where it reads from and what each frame means. */
export abstract class FrameStream<Frame> implements IDisposable {
  constructor(client: CabinetClient, url: () => string) {
    this.channel = new Channel({ url, socket: client.settings.WebSocket });
    this.channel.message.connect((_, data) => {
      if (typeof data === 'string') {
        this.take(JSON.parse(data) as Frame);
      }
    });
  }

  readonly channel: Channel;

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

  protected abstract take(frame: Frame): void;
}
