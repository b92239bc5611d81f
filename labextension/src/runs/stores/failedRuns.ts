/**
 * Runs of agents that have failed while this page was open, until somebody has looked.
 */
import type { Run } from '../../api/types';
import { Store } from '../../shared/store';
import { isFinal, type RunStore } from './runs';

/** One that had ended before this page knew it is no news. */
export class FailedRunStore extends Store {
  constructor(runs: RunStore) {
    super();
    runs.active.forEach(run => this._open.add(run.id));
    runs.updated.connect((_, run) => this._take(run));
  }

  get count(): number {
    return this._failed.size;
  }

  /** Somebody has looked. */
  seen(): void {
    this._failed.clear();
    this.tell();
  }

  private _take(run: Run): void {
    if (!isFinal(run)) {
      this._open.add(run.id);
    } else if (this._open.delete(run.id) && run.agent !== null) {
      if (run.state === 'failed' || run.state === 'timed_out') {
        this._failed.add(run.id);
        this.tell();
      }
    }
  }

  private readonly _open = new Set<string>();
  private readonly _failed = new Set<string>();
}
