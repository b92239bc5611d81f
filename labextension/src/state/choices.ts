/**
 * What a person chose last for a run (runtime, model, permission mode), remembered per person.
 * A choice that the server can no longer keep falls back to its default.
 */
import type { IStateDB } from '@jupyterlab/statedb';
import type { ReadonlyPartialJSONValue } from '@lumino/coreutils';

import type { PermissionMode } from '../api/types';
import { permissionModes, type RuntimeStore } from './runtimes';
import { Store } from './store';

interface IChosen {
  runtime: string | null;
  model: string | null;
  permissionMode: PermissionMode | null;
}

export class ChoiceStore extends Store {
  constructor(
    private readonly _runtimes: RuntimeStore,
    private readonly _db: IStateDB | null
  ) {
    super();
    _runtimes.changed.connect(this.tell, this);
  }

  get runtime(): string | null {
    return (this._runtimes.get(this._chosen.runtime) ?? this._runtimes.default)?.name ?? null;
  }

  /** Whether the person chose this runtime, rather than being given it. */
  chose(runtime: string): boolean {
    return this._chosen.runtime === runtime;
  }

  get model(): string | null {
    return this._chosen.runtime === null || this._chosen.runtime === this.runtime
      ? this._chosen.model
      : null;
  }

  /** What can be chosen for the runtime; without questions only where the server allows that. */
  get permissionModes(): PermissionMode[] {
    const modes = permissionModes(this._runtimes.get(this.runtime));
    return modes.filter(mode => mode !== 'bypass' || this._allowBypass);
  }

  get permissionMode(): PermissionMode | null {
    const modes = this.permissionModes;
    const chosen = this._chosen.permissionMode;
    const wanted = chosen && modes.includes(chosen) ? chosen : 'edit';
    return modes.includes(wanted) ? wanted : (modes[0] ?? null);
  }

  /** Models are names of one CLI: another CLI begins with its default. */
  chooseRuntime(runtime: string): void {
    this._choose({ runtime, model: null });
  }

  chooseModel(model: string | null): void {
    this._choose({ runtime: this.runtime, model });
  }

  choosePermissionMode(permissionMode: PermissionMode): void {
    this._choose({ permissionMode });
  }

  allowBypass(allowed: boolean): void {
    this._allowBypass = allowed;
    this.tell();
  }

  async load(username: string): Promise<void> {
    this._key = `jupyter-cabinet:choices:${username}`;
    const saved = (await this._db?.fetch(this._key)) as Partial<IChosen> | undefined;
    this._chosen = { ...this._chosen, ...saved };
    this.tell();
  }

  private _choose(change: Partial<IChosen>): void {
    this._chosen = { ...this._chosen, ...change };
    if (this._key) {
      void this._db?.save(this._key, {
        ...this._chosen
      } as ReadonlyPartialJSONValue);
    }
    this.tell();
  }

  private _allowBypass = false;
  private _key: string | null = null;
  private _chosen: IChosen = {
    runtime: null,
    model: null,
    permissionMode: null
  };
}
