/**
 * What one run says, frame by frame, from the first to the last.
 * A frame that came before a break is not told again; after `end` the connection is closed.
 */
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { Channel } from './channel';
import type { CabinetClient } from './client';
import type { AgentEvent, OutputFrame } from './types';

export interface IOutput {
  /** Seconds since the run's start. */
  at: number;
  event: AgentEvent;
}

export class OutputStream implements IDisposable {
  constructor(client: CabinetClient, runId: string) {
    this.channel = new Channel({
      url: () =>
        client.socketUrl(`runs/${encodeURIComponent(runId)}/output`, {
          since: this._next
        }),
      socket: client.settings.WebSocket
    });
    this.channel.message.connect(this._onMessage, this);
  }

  readonly channel: Channel;
  readonly said: ISignal<this, IOutput> = new Signal<this, IOutput>(this);
  readonly ended: ISignal<this, void> = new Signal<this, void>(this);

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
    const frame = JSON.parse(data) as OutputFrame;
    if (frame.type === 'end') {
      (this.ended as Signal<this, void>).emit();
      this.channel.dispose();
    } else if (frame.type === 'output' && frame.index >= this._next) {
      this._next = frame.index + 1;
      (this.said as Signal<this, IOutput>).emit({
        at: frame.at,
        event: frame.event
      });
    }
  }

  private _next = 0;
}
