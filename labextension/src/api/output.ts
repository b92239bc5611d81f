/**
 * What one run says, frame by frame, from the first to the last.
 * A frame that came before a break is not told again; after `end` the connection is closed.
 */
import { Signal, type ISignal } from '@lumino/signaling';

import type { CabinetClient } from './client';
import { FrameStream } from './frames';
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
    const path = `runs/${encodeURIComponent(runId)}/output`;
    super(client, () => client.socketUrl(path, { since: this._next }));
  }

  readonly said: ISignal<this, IOutput> = new Signal<this, IOutput>(this);
  readonly ended: ISignal<this, void> = new Signal<this, void>(this);

  protected take(frame: OutputFrame): void {
    if (frame.type === 'end') {
      (this.ended as Signal<this, void>).emit();
      this.channel.dispose();
    } else if (frame.type === 'output' && frame.index >= this._next) {
      this._next = frame.index + 1;
      (this.said as Signal<this, IOutput>).emit({ at: frame.at, event: frame.event });
    }
  }

  private _next = 0;
}
