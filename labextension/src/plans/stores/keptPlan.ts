/**
 * Which plan a person had open, kept for each person across reloads of the page.
 */
import type { IStateDB } from '@jupyterlab/statedb';

import type { ConnectionStore } from '../../shared/connection';
import type { PlansStore } from './planList';

export class KeptPlan {
  /** `_restores`: whether the page was reloaded; a tab that a person has opened begins with the list. */
  constructor(
    private readonly _plans: PlansStore,
    private readonly _db: IStateDB | null,
    private _restores: boolean
  ) {
    _plans.changed.connect(this._save, this);
  }

  /** Restore the plan of whoever this page is logged in as, as soon as that is known, unless another one was chosen. */
  follow(connection: ConnectionStore): void {
    this._unfollow = connection.followUsername(username => void this.load(username));
  }

  async load(username: string): Promise<void> {
    const key = `jupyter-cabinet:plan:${username}`;
    this._key = null;
    if (this._restores) {
      this._restores = false;
      const saved = await this._db?.fetch(key).catch(() => undefined);
      const id = (saved as { plan?: unknown } | undefined)?.plan;
      if (typeof id === 'string' && (await this._exists(id)) && !this._plans.open) {
        this._plans.choose(id);
      }
    }
    this._key = key;
    this._save();
  }

  dispose(): void {
    this._unfollow();
    this._plans.changed.disconnect(this._save, this);
    this._key = null;
  }

  private async _exists(id: string): Promise<boolean> {
    return this._plans.routes.plan(id).then(
      () => !this._plans.isDisposed,
      () => false
    );
  }

  private _save(): void {
    const plan = this._plans.open?.id ?? null;
    if (this._key !== null && plan !== this._saved) {
      this._saved = plan;
      void this._db?.save(this._key, { plan });
    }
  }

  private _unfollow = (): void => undefined;
  private _key: string | null = null;
  private _saved: string | null | undefined;
}
