/**
 * Something that the server says of an agent, read again after each event that may have changed it. Events
 * only say that: what is shown always comes from an answer, so that their order and number do not matter.
 */
import { ApiError } from '../api/client';
import type { EventStream } from '../api/events';
import type { CabinetEvent } from '../api/types';
import { Store } from './store';

/** Kept up until it is disposed of. One question at a time: what happens meanwhile is asked for after it, once. */
export class Resource<T> extends Store {
  constructor(
    private readonly _read: () => Promise<T>,
    private readonly _events: EventStream,
    private readonly _concerns: (event: CabinetEvent) => boolean
  ) {
    super();
    _events.happened.connect(this._onEvent, this);
    this._stop = _events.onMissed(() => void this.load());
  }

  /** Null until the first answer. What was read before a break stays. */
  value: T | null = null;
  /** Why the server does not say it; null also while it cannot be reached. */
  problem: string | null = null;

  override dispose(): void {
    this._stop();
    this._events.happened.disconnect(this._onEvent, this);
    super.dispose();
  }

  /** Resolves when an answer is there that is not older than this call. */
  load(): Promise<void> {
    this._isStale = true;
    this._underway ??= this._catchUp();
    return this._underway;
  }

  private async _catchUp(): Promise<void> {
    while (this._isStale && !this.isDisposed) {
      this._isStale = false;
      try {
        this.value = await this._read();
        this.problem = null;
      } catch (reason) {
        this.problem = reason instanceof ApiError ? reason.message : null;
      }
      this.tell();
    }
    this._underway = null;
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    if (this._concerns(event as CabinetEvent)) {
      void this.load();
    }
  }

  private readonly _stop: () => void;
  private _underway: Promise<void> | null = null;
  private _isStale = false;
}

/** An event of this agent, or of a run of it. */
export function isOf(slug: string, event: CabinetEvent): boolean {
  return 'run' in event
    ? event.run.agent === slug
    : 'agent' in event && (event.agent as unknown) === slug;
}
