/**
 * The outputs of runs that somebody looks at or follows: one stream per run, however many readers.
 */
import type { IDisposable } from '@lumino/disposable';

import type { CabinetClient } from '../../api/client';
import { fold, type IFolded, NOTHING, OutputStore } from './output';

const MOST = 12; // streams kept; the one that was asked for longest ago goes first
const MOST_READ = 40; // outputs of runs that are over

/** `get` opens a stream if there is none; the least recently used ones are closed. */
export class OutputPool implements IDisposable {
  constructor(private readonly _client: CabinetClient) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  get(runId: string): OutputStore {
    const store = this._stores.get(runId) ?? new OutputStore(this._client, runId);
    this._stores.delete(runId);
    this._stores.set(runId, store);
    if (this._stores.size > MOST) {
      const [oldest, oldStore] = this._stores.entries().next().value as [string, OutputStore];
      this._stores.delete(oldest);
      oldStore.dispose();
    }
    return store;
  }

  /** What a run that is over has told, in one answer. Rejects where it cannot be read; the next call tries again. */
  read(runId: string): Promise<IFolded> {
    const found = this._read.get(runId) ?? this._ask(runId);
    this._read.delete(runId);
    this._read.set(runId, found);
    if (this._read.size > MOST_READ) {
      this._read.delete(this._read.keys().next().value as string);
    }
    return found;
  }

  private async _ask(runId: string): Promise<IFolded> {
    try {
      const frames = await this._client.output(runId);
      return frames.reduce(
        (folded, frame) => (frame.type === 'output' ? fold(folded, frame) : folded),
        NOTHING
      );
    } catch (reason) {
      this._read.delete(runId);
      throw reason;
    }
  }

  dispose(): void {
    this._isDisposed = true;
    this._stores.forEach(store => store.dispose());
    this._stores.clear();
  }

  private readonly _read = new Map<string, Promise<IFolded>>();
  private readonly _stores = new Map<string, OutputStore>();
  private _isDisposed = false;
}
