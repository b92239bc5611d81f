/**
 * A run that a person is about to ask for: what they have written, and what the server says of it. Nothing is lost where
 * the server refuses, or where the dialog is closed and opened again.
 */
import type { CabinetClient } from '../../api/client';
import type { NewRun, PermissionMode, Run, RunnerName } from '../../api/types';
import type { AgentStore } from '../../agents';
import type { ChoiceStore, IIsolation, RuntimeStore } from '../../runtimes';
import { ApiError } from '../../api/client';
import { Store } from '../../shared/store';

/** Who works: a named agent, or a runtime without one; a runtime without a name is the server's default. */
export interface IWorker {
  kind: 'agent' | 'runtime';
  name: string;
}

export interface IRunDraft {
  instruction: string;
  worker: IWorker;
  /** Below the server's root; empty: the root, for an agent the one it works in. Null: as it is suggested. */
  folder: string | null;
  /** Null: as the person chose it last. An agent has its own. */
  permissionMode: PermissionMode | null;
  /** Where it starts; null: as the agent or the server says. */
  runner: RunnerName | null;
}

type Field = 'instruction' | 'folder';

/** The server's names of fields, and ours. */
const FIELDS: Readonly<Record<string, Field>> = { instruction: 'instruction', cwd: 'folder' };

/** One for a page. `changed` fires for each letter, and for each answer of the server. */
export class NewRunStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    readonly runtimes: RuntimeStore,
    readonly choices: ChoiceStore,
    readonly agents: AgentStore
  ) {
    super();
    agents.watchAll();
    [runtimes, choices, agents].forEach(store => store.changed.connect(this.tell, this));
  }

  draft: Readonly<IRunDraft> = {
    instruction: '',
    worker: { kind: 'runtime', name: '' },
    folder: null,
    permissionMode: null,
    runner: null
  };
  /** Whether its dialog is open. */
  isShown = false;
  isBusy = false;
  /** What the server has refused and no field can be named for. */
  refusal: string | null = null;
  /** What it says of single fields. */
  wrong: Readonly<Partial<Record<Field, string>>> = {};

  /** The runtime that works; null for an agent, which has its own. */
  get runtime(): string | null {
    const { kind, name } = this.draft.worker;
    return kind === 'agent' ? null : name || (this.choices.runtime ?? '');
  }

  /** What can be chosen; none for an agent. */
  get permissionModes(): PermissionMode[] {
    return this.runtime === null ? [] : this.choices.modesOf(this.runtime);
  }

  get permissionMode(): PermissionMode | null {
    const { permissionMode } = this.draft;
    return this.runtime === null ? null : this.choices.modeOf(this.runtime, permissionMode);
  }

  /** Whether the run will be isolated; null if that is no choice: for an agent, on a cluster and in a container. */
  get isolation(): IIsolation | null {
    const { runner } = this.draft;
    const isElsewhere = runner !== null && runner !== 'local';
    return this.runtime === null || isElsewhere ? null : this.choices.isolationOf(this.runtime);
  }

  get folder(): string {
    return this.draft.folder ?? (this.draft.worker.kind === 'agent' ? '' : this._suggested);
  }

  get isReady(): boolean {
    return this.draft.instruction.trim() !== '' && !Object.keys(this.wrong).length;
  }

  /** `folder`: where the person is at work, below the server's root. */
  show(folder: string): void {
    this._suggested = folder;
    this.isShown = true;
    this.tell();
  }

  hide(): void {
    this.isShown = false;
    this.tell();
  }

  write(change: Partial<IRunDraft>): void {
    const { wrong } = this;
    const left = Object.entries(wrong).filter(([field]) => !(field in change));
    this.draft = { ...this.draft, ...change };
    this.wrong = Object.fromEntries(left);
    this.refusal = null;
    this.tell();
  }

  /** Null if it was refused: the reason is at its field, or in `refusal`. */
  async start(): Promise<Run | null> {
    if (this.isBusy || !this.isReady) {
      return null;
    }
    Object.assign(this, { isBusy: true, refusal: null });
    this.tell();
    let run: Run | null = null;
    try {
      run = await this._client.submit(this._request());
      this.draft = { ...this.draft, instruction: '' };
      this.isShown = false;
    } catch (reason) {
      this._take(reason as Error);
    }
    this.isBusy = false;
    this.tell();
    return run;
  }

  private _request(): NewRun {
    const { instruction, runner, worker } = this.draft;
    const cwd = this.folder.trim().replace(/^[/]+/, '');
    const shared = { instruction, ...(cwd && { cwd }), ...(runner && { runner }) };
    if (worker.kind === 'agent') {
      return { kind: 'message', agent: worker.name, ...shared };
    }
    const { isolation, permissionMode, runtime } = this;
    return {
      kind: 'manual',
      mode: 'headless',
      ...shared,
      ...(runtime && { runtime }),
      ...(permissionMode && { permission_mode: permissionMode }),
      ...(isolation?.isIsolated && isolation.reason === null && { isolate: true })
    };
  }

  private _take(reason: Error): void {
    const field = reason instanceof ApiError ? FIELDS[String(reason.detail.field)] : undefined;
    this.wrong = field ? { [field]: reason.message } : {};
    this.refusal = field ? null : reason.message;
  }

  private _suggested = '';
}
