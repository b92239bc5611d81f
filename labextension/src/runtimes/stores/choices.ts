/**
 * What a person chose last for a run (runtime, model, permission mode, isolation), remembered per person.
 * A choice that the server can no longer keep falls back to its default.
 */
import type { IStateDB } from '@jupyterlab/statedb';
import type { ReadonlyPartialJSONValue } from '@lumino/coreutils';

import type { Health, PermissionMode } from '../../api/types';
import { IN_CONTAINER, type IIsolation, isolationOf } from './isolation';
import { CARE, DEMO, permissionModes, type RuntimeStore } from './runtimes';
import type { ConnectionStore } from '../../shared/connection';
import { Store } from '../../shared/store';

/** As it is saved: what was chosen, whether or not it can be had now. */
export interface IChosen {
  runtime: string | null;
  /** By the runtime's name: models are names of one CLI. Without one the CLI's default serves. */
  models: Readonly<Record<string, string>>;
  permissionMode: PermissionMode | null;
  isIsolated: boolean;
  /** Whether the demo agent was chosen or used once, so that it needs no introduction. */
  triedDemo: boolean;
}

/** The getters give what serves now: what was chosen where it can be had, else what comes next. */
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

  /** What the person chose, whether or not it can be had now. */
  get chosen(): Readonly<IChosen> {
    return this._chosen;
  }

  get model(): string | null {
    return this._chosen.models[this.runtime ?? ''] ?? null;
  }

  /** Whether the runtime cannot be in a terminal. */
  get headless(): boolean {
    const can = this._runtimes.get(this.runtime)?.capabilities;
    return can !== undefined && can.headless && !can.interactive;
  }

  /** What can be chosen for the runtime; without questions only where the server allows that. */
  get permissionModes(): PermissionMode[] {
    return this.modesOf(this.runtime);
  }

  /** What was chosen where that can be had, else the next more careful one; nobody gets fewer questions unasked. */
  get permissionMode(): PermissionMode | null {
    return this.modeOf(this.runtime, null);
  }

  /** What can be chosen for this runtime. */
  modesOf(runtime: string | null): PermissionMode[] {
    const modes = permissionModes(this._runtimes.get(runtime));
    return modes.filter(mode => mode !== 'bypass' || this._allowBypass);
  }

  /** What serves for this runtime where this mode is wanted; null: the one that the person chose last. */
  modeOf(runtime: string | null, mode: PermissionMode | null): PermissionMode | null {
    const modes = this.modesOf(runtime);
    const wanted = mode ?? this._chosen.permissionMode ?? 'edit';
    const careful = modes.filter(each => CARE[each] <= CARE[wanted]);
    return careful[careful.length - 1] ?? modes[0] ?? null;
  }

  chooseRuntime(runtime: string): void {
    this._choose({ runtime, ...triesDemo(runtime) });
  }

  /** A run was started with this runtime, whether it was chosen or is the default. */
  used(runtime: string | null): void {
    if (runtime === DEMO && !this.triedDemo) {
      this._choose(triesDemo(runtime));
    }
  }

  get triedDemo(): boolean {
    return this._chosen.triedDemo || this.chose(DEMO);
  }

  chooseModel(model: string | null): void {
    const { runtime } = this;
    if (runtime !== null) {
      const models = { ...this._chosen.models };
      delete models[runtime];
      this._choose({ models: model === null ? models : { ...models, [runtime]: model } });
    }
  }

  /** Whether the next run is isolated, and whether that can be chosen. */
  get isolation(): IIsolation {
    return this._isInContainers ? IN_CONTAINER : this.isolationOf(this.runtime);
  }

  /** The same for this runtime. */
  isolationOf(runtime: string | null): IIsolation {
    return isolationOf(this._sandbox, this._runtimes.get(runtime), this._chosen.isIsolated);
  }

  /** What a run is requested with; null leaves it to the server. */
  get isolate(): boolean | null {
    const { isIsolated, reason } = this.isolation;
    return isIsolated && reason === null ? true : null;
  }

  chooseIsolation(isIsolated: boolean): void {
    this._choose({ isIsolated });
  }

  choosePermissionMode(permissionMode: PermissionMode): void {
    this._choose({ permissionMode });
  }

  /** Take the choices of whoever this page is logged in as, as soon as that is known, and what their server allows. */
  follow(connection: ConnectionStore): void {
    let username: string | null = null;
    const update = () => {
      const { health } = connection;
      if (health && health.sandbox !== this._sandbox) {
        this._sandbox = health.sandbox;
        this._isInContainers = health.cluster.runner === 'docker';
        this.tell();
      }
      if (health && health.you.username !== username) {
        username = health.you.username;
        this.allowBypass(health.allow_bypass);
        void this.load(username);
      }
    };
    connection.changed.connect(update);
    update();
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
  private _sandbox: Health['sandbox'] | null = null;
  /** Whether runs that do not choose start in containers. */
  private _isInContainers = false;
  private _key: string | null = null;
  private _chosen: IChosen = {
    runtime: null,
    models: {},
    permissionMode: null,
    isIsolated: false,
    triedDemo: false
  };
}

function triesDemo(runtime: string): Partial<IChosen> {
  return runtime === DEMO ? { triedDemo: true } : {};
}
