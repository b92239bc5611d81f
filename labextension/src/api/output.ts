/**
 * What one run says, frame by frame, from the first to the last.
 * A frame that came before a break is not told again; after `end` the connection is closed.
 */
import { Signal, type ISignal } from '@lumino/signaling';

import type { CabinetClient } from './client';
import { FrameStream } from './frames';
import { HeardOutput } from './heardOutput';
import type { AgentEvent, OutputFrame } from './types';

/** One event of a run, and when it came. */
export interface IOutput {
  /** Seconds since the run's start. */
  at: number;
  event: AgentEvent;
}

/** The output of one run; closed by itself at the end of the run. */
export class OutputStream extends FrameStream<OutputFrame> {
  constructor(client: CabinetClient, runId: string) {
    const path = `runs/${encodeURIComponent(runId)}/output` as const;
    super(client, () => {
      this._heard.connected();
      return client.socketUrl(path, { since: this._heard.since });
    });
  }

  readonly said: ISignal<this, IOutput> = new Signal<this, IOutput>(this);
  readonly ended: ISignal<this, void> = new Signal<this, void>(this);

  protected take(frame: OutputFrame): void {
    if (frame.type === 'end') {
      (this.ended as Signal<this, void>).emit();
      this.socket.dispose();
    } else if (frame.type === 'output' && this._heard.isNew(frame)) {
      (this.said as Signal<this, IOutput>).emit({ at: frame.at, event: frame.event });
    }
  }

  private readonly _heard = new HeardOutput();
}
