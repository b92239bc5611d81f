/**
 * Announces to screen readers that runs in the cells of this page have started and ended.
 */
import { Signal, type ISignal } from '@lumino/signaling';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Run, RunState } from '../../api/types';
import { runAnnouncement, type RunStore } from '../../runs';
import type { Announcer } from '../../shared/announcer';

/** `said` has what is said politely; what is urgent goes to the announcer, whose region is there for all. */
export class SpokenRuns {
  constructor(
    runs: RunStore,
    private readonly _announcer: Announcer,
    private readonly _trans: TranslationBundle
  ) {
    runs.updated.connect(this._onRun, this);
  }

  readonly said: ISignal<this, string> = new Signal<this, string>(this);

  /** A run that is shown; until the answer is called. */
  follow(run: Run): () => void {
    const entry = this._shown.get(run.id) ?? { count: 0, state: run.state };
    this._shown.set(run.id, entry);
    entry.count += 1;
    return () => {
      entry.count -= 1;
      if (entry.count === 0) {
        this._shown.delete(run.id);
      }
    };
  }

  private _onRun(_: RunStore, run: Run): void {
    const shown = this._shown.get(run.id);
    if (!shown || shown.state === run.state) {
      return;
    }
    const before = { ...run, state: shown.state };
    shown.state = run.state;
    const announcement = run.state === 'waiting' ? null : runAnnouncement(before, run, this._trans);
    if (announcement?.urgent) {
      this._announcer.say(announcement);
    } else if (announcement) {
      (this.said as Signal<this, string>).emit(announcement.text);
    }
  }

  private readonly _shown = new Map<string, { count: number; state: RunState }>();
}
