/**
 * What stores have in common that show an answer of the server and read it again after events. An answer that is late,
 * because something was asked for after it, is dropped.
 */
import type { EventStream } from '../api/events';
import type { CabinetEvent } from '../api/types';
import { Store } from './store';

/** A store that reads. Why the server refused the last request is in `problem`; what was read before stays. */
export abstract class ReadingStore extends Store {
  problem: string | null = null;

  /** Read, and take the answer unless something else was asked for meanwhile. `refused` is called with what was thrown. */
  protected async latest<T>(
    read: (isLatest: () => boolean) => Promise<T>,
    take: (answer: T) => void,
    refused?: (reason: unknown) => void
  ): Promise<void> {
    const request = ++this._request;
    const isLatest = () => request === this._request;
    try {
      const answer = await read(isLatest);
      if (isLatest()) {
        take(answer);
        this.problem = null;
      }
    } catch (reason) {
      if (isLatest()) {
        this.problem = reasonText(reason);
        refused?.(reason);
      }
    }
    this.tell();
  }

  private _request = 0;
}

/** Kept up by the events of the server until it is disposed of. */
export abstract class LiveStore extends ReadingStore {
  constructor(protected readonly events: EventStream) {
    super();
  }

  override dispose(): void {
    this._stop?.();
    clearTimeout(this._timer);
    this.events.happened.disconnect(this._onEvent, this);
    super.dispose();
  }

  /** The last step of each constructor, because it may read at once. */
  protected keepUp(): void {
    this.events.happened.connect(this._onEvent, this);
    this._stop = this.events.onMissed(() => this.onMissed());
  }

  protected abstract onEvent(event: CabinetEvent): void;

  /** Read again what may have changed. */
  protected abstract reread(): void;

  protected onMissed(): void {
    this.reread();
  }

  /**
   * Read again in so many milliseconds, once for all that changes until then. `restarts`: only when nothing has changed for
   * so long.
   */
  protected rereadSoon(milliseconds: number, restarts = false): void {
    if (restarts) {
      clearTimeout(this._timer);
      this._timer = undefined;
    }
    this._timer ??= setTimeout(() => {
      this._timer = undefined;
      this.reread();
    }, milliseconds);
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    this.onEvent(event as CabinetEvent);
  }

  private _stop: (() => void) | undefined;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

export function reasonText(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
