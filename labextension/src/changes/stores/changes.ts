/**
 * What runs have changed in the workspace, as far as somebody looks at it. The server compares and reverts.
 */
import { ApiError, Offline, type CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { Changes, FileDiff, Run } from '../../api/types';
import { isFinal, type RunStore } from '../../runs';
import { Store } from '../../shared/store';

export type Decision = 'accept' | 'revert' | 'undo';

/** Why a decision was refused. `paths`: of which files; it can be done anyway, and undone. */
export interface IRefusal {
  decision: Decision;
  message: string;
  paths: string[];
  /** Of the files that were to be decided about; null for all. */
  asked: string[] | null;
  part: string | null;
}

/** One run’s changes. `changes` is null where nothing is kept of it, undefined while nobody knows. */
interface IKnown {
  changes?: Changes | null;
  diffs: Map<string, FileDiff>;
  busy: boolean;
  refusal: IRefusal | null;
  problem: string;
  /** While the changes are being read, for the first time or again. */
  reading: Promise<void> | null;
  /** How often the changes were read: only the newest answer counts. */
  readings: number;
}

/** Tells with `changed` of anything. */
export class ChangesStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream,
    runs: RunStore
  ) {
    super();
    events.happened.connect((_, event) => {
      if (event.type === 'changes_updated') {
        this._renew((event as { run_id?: string }).run_id ?? '');
      }
    });
    events.onMissed(() => this._known.forEach((_, id) => this._renew(id)));
    runs.updated.connect((_, run) => isFinal(run) && this._renew(run.id));
  }

  /** Null where nothing is kept of the run, undefined while that is not known. */
  of(run: Run): Changes | null | undefined {
    return this._known.get(run.id)?.changes;
  }

  isBusy(run: Run): boolean {
    return this._known.get(run.id)?.busy ?? false;
  }

  refusal(run: Run): IRefusal | null {
    return this._known.get(run.id)?.refusal ?? null;
  }

  /** Why the changes cannot be read, in a sentence; empty where they can. */
  problem(run: Run): string {
    return this._known.get(run.id)?.problem ?? '';
  }

  diff(run: Run, path: string): FileDiff | null {
    return this._known.get(run.id)?.diffs.get(path) ?? null;
  }

  /** Read the changes of a run, unless they are known. Several callers wait for the same answer. */
  async read(run: Run): Promise<void> {
    if (!this._known.has(run.id)) {
      const plain = { busy: false, refusal: null, problem: '', reading: null, readings: 0 };
      this._known.set(run.id, { ...plain, diffs: new Map() });
      this._renew(run.id);
    }
    const known = this._known.get(run.id)!;
    while (known.reading) {
      await known.reading; // meanwhile another one may have begun, whose answer counts
    }
  }

  async readDiff(run: Run, path: string): Promise<void> {
    const known = this._known.get(run.id);
    if (known && !known.diffs.has(path)) {
      try {
        known.diffs.set(path, await this._client.changedFile(run.id, path));
      } catch (error) {
        known.problem = sentence(error);
      }
      this.tell();
    }
  }

  /** `paths`: null for all files. A refusal stays until the next decision. */
  async decide(
    run: Run,
    decision: Decision,
    paths: string[] | null = null,
    { part = null, anyway = false }: { part?: string | null; anyway?: boolean } = {}
  ): Promise<boolean> {
    await this.read(run);
    const known = this._known.get(run.id)!;
    if (known.busy) {
      return false;
    }
    Object.assign(known, { busy: true, refusal: null, problem: '' });
    this.tell();
    try {
      known.changes = await this._client.decide(run.id, { decision, paths, part, anyway });
      known.readings++; // what a reading before the decision finds is older
      await this._readDiffsAgain(run.id, paths);
      return true;
    } catch (error) {
      const found = error instanceof ApiError && error.status === 409 ? error.detail.paths : null;
      if (Array.isArray(found)) {
        const message = (error as ApiError).message;
        known.refusal = { decision, message, paths: found.map(String), asked: paths, part };
      } else {
        known.problem = sentence(error);
      }
      return false;
    } finally {
      known.busy = false;
      this.tell();
    }
  }

  dismissRefusal(run: Run): void {
    const known = this._known.get(run.id);
    if (known?.refusal) {
      known.refusal = null;
      this.tell();
    }
  }

  private _renew(id: string): void {
    const known = this._known.get(id);
    if (known) {
      const reading = this._load(id).finally(() => {
        known.reading = known.reading === reading ? null : known.reading;
      });
      known.reading = reading;
    }
  }

  private async _load(id: string): Promise<void> {
    const known = this._known.get(id)!;
    const reading = ++known.readings;
    try {
      const changes = await this._client.changes(id);
      if (reading !== known.readings) {
        return; // a newer answer counts
      }
      known.changes = changes;
      await this._readDiffsAgain(id, null);
      known.problem = '';
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        known.changes = null;
      } else {
        known.problem = sentence(error);
      }
    }
    this.tell();
  }

  /** The lines that are shown contain the decisions about parts. */
  private async _readDiffsAgain(id: string, paths: string[] | null): Promise<void> {
    const { diffs } = this._known.get(id)!;
    const shown = [...diffs.keys()].filter(path => paths?.includes(path) ?? true);
    const found = await Promise.all(shown.map(path => this._client.changedFile(id, path)));
    found.forEach(diff => diffs.set(diff.path, diff));
  }

  private readonly _known = new Map<string, IKnown>();
}

function sentence(error: unknown): string {
  return error instanceof Offline ? '' : error instanceof Error ? error.message : String(error);
}
