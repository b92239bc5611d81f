/**
 * The outputs of runs that somebody looks at or follows: one stream per run, however many readers.
 */
import type { IDisposable } from '@lumino/disposable';

import type { CabinetClient } from '../../api/client';
import { OutputStore } from './output';

const MOST = 12; // streams kept; the one that was asked for longest ago goes first

/** `get` opens a stream where there is none; those asked for longest ago are closed. */
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

  dispose(): void {
    this._isDisposed = true;
    this._stores.forEach(store => store.dispose());
    this._stores.clear();
  }

  private readonly _stores = new Map<string, OutputStore>();
  private _isDisposed = false;
}
