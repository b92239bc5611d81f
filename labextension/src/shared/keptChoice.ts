/**
 * Which of the things in a tab, such as a plan or a channel, a person had open, kept for each person across reloads of
 * the page.
 */
import type { IStateDB } from '@jupyterlab/statedb';

import type { ConnectionStore } from './connection';
import type { Store } from './store';

/** The list in which a person chooses. */
export interface IChoosable {
  /** Tells when the choice may be another one. */
  store: Store;
  /** The id of what is chosen; null: nothing. */
  chosen: () => string | null;
  choose: (id: string) => void;
  /** Whether it is still there. */
  exists: (id: string) => Promise<boolean>;
}

export class KeptChoice {
  /**
   * `_kind`: what is chosen, as a part of the key. `_restores`: whether the page was reloaded; a tab that a person has
   * opened begins with the list.
   */
  constructor(
    private readonly _list: IChoosable,
    private readonly _kind: string,
    private readonly _db: IStateDB | null,
    private _restores: boolean
  ) {
    _list.store.changed.connect(this._save, this);
  }

  /** Restore the choice of whoever this page is logged in as, as soon as that is known, unless another one was made. */
  follow(connection: ConnectionStore): void {
    this._unfollow = connection.followUsername(username => void this.load(username));
  }

  async load(username: string): Promise<void> {
    const key = `jupyter-cabinet:${this._kind}:${username}`;
    this._key = null;
    if (this._restores) {
      this._restores = false;
      const saved = await this._db?.fetch(key).catch(() => undefined);
      const id = (saved as Record<string, unknown> | undefined)?.[this._kind];
      if (typeof id === 'string' && (await this._exists(id)) && this._list.chosen() === null) {
        this._list.choose(id);
      }
    }
    this._key = key;
    this._save();
  }

  dispose(): void {
    this._unfollow();
    this._list.store.changed.disconnect(this._save, this);
    this._key = null;
  }

  private async _exists(id: string): Promise<boolean> {
    const isThere = await this._list.exists(id).catch(() => false);
    return isThere && !this._list.store.isDisposed;
  }

  private _save(): void {
    const id = this._list.chosen();
    if (this._key !== null && id !== this._saved) {
      this._saved = id;
      void this._db?.save(this._key, { [this._kind]: id });
    }
  }

  private _unfollow = (): void => undefined;
  private _key: string | null = null;
  private _saved: string | null | undefined;
}
