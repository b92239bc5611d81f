/**
 * The runs of an agent, newest first: a page of them at a time, narrowed to what a person looks for.
 */
import { AgentRoutes } from '../../../api/agentRoutes';
import { ApiError, type CabinetClient } from '../../../api/client';
import type { EventStream } from '../../../api/events';
import type { CabinetEvent, Run, RunState, Tick } from '../../../api/types';
import type { RunStore } from '../../../runs';
import { Store } from '../../../shared/store';
import { Reading } from '../reading';

export const PAGE = 50;

/** Empty: any. */
export interface IRunFilter {
  state: RunState | '';
  kind: string;
  words: string;
}

export const ANY: IRunFilter = { state: '', kind: '', words: '' };

/** Kept up until it is disposed of. The runs themselves are those of `runs`, which knows the newest state of each. */
export class HistoryStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream,
    private readonly _runs: RunStore,
    private readonly _slug: string
  ) {
    super();
    const routes = new AgentRoutes(_client);
    this.ticks = new Reading(
      async () => (await routes.ticks(_slug)).items,
      events,
      event => event.type === 'tick_skipped' && event.key.endsWith(`/${_slug}`)
    );
    this.ticks.changed.connect(() => this.tell());
    this._stop = events.onMissed(() => void this.load());
    _runs.updated.connect(this._onRun, this);
  }

  /** What became of its scheduled heartbeats. */
  readonly ticks: Reading<Tick[]>;
  filter: IRunFilter = ANY;
  problem: string | null = null;
  /** Whether the first answer to this filter is there. */
  isRead = false;

  override dispose(): void {
    this._stop();
    this._runs.updated.disconnect(this._onRun, this);
    this.ticks.dispose();
    super.dispose();
  }

  /** Newest first. A run that no longer fits the filter is left out at once. */
  get rows(): Run[] {
    return [...this._ids]
      .map(id => this._runs.get(id))
      .filter((run): run is Run => run !== undefined && this._fits(run))
      .sort((a, b) => b.number - a.number);
  }

  /** Whether there are older ones. */
  get hasMore(): boolean {
    return this._next !== null;
  }

  /** Heartbeats that were due and did not start, where nothing is looked for but them. */
  get skipped(): Tick[] {
    const { kind, state, words } = this.filter;
    const fits = !words && (!state || state === 'skipped') && (!kind || kind === 'heartbeat');
    return fits ? (this.ticks.value ?? []).filter(tick => tick.skipped !== '') : [];
  }

  async narrow(filter: IRunFilter): Promise<void> {
    this.filter = filter;
    this.isRead = false;
    this._ids = new Set();
    this._next = null;
    this.tell();
    await this.load();
  }

  /** The newest page. A late answer never takes the place of a newer one. */
  load(): Promise<void> {
    return this._read(undefined);
  }

  async more(): Promise<void> {
    if (this._next !== null) {
      await this._read(this._next);
    }
  }

  private async _read(cursor: string | undefined): Promise<void> {
    const request = ++this._request;
    const { kind, state, words } = this.filter;
    try {
      const query = { agent: this._slug, kind, state, q: words.trim(), limit: PAGE, cursor };
      const { items, next } = await this._client.runs(query);
      if (request !== this._request || this.isDisposed) {
        return;
      }
      // Older pages that are shown stay where only the newest is read anew.
      this._next = cursor === undefined && this._ids.size > PAGE ? this._next : next;
      items.forEach(({ id }) => this._ids.add(id));
      items.forEach(run => this._runs.put(run));
      this.isRead = true;
      this.problem = null;
    } catch (reason) {
      if (request !== this._request) {
        return;
      }
      this.problem = reason instanceof ApiError ? reason.message : null;
    }
    this.tell();
  }

  private _fits(run: Run): boolean {
    const { kind, state } = this.filter;
    return (!state || run.state === state) && (!kind || run.kind === kind);
  }

  private _onRun(_: RunStore, run: Run): void {
    if (run.agent !== this._slug) {
      return;
    }
    // Words are looked for by the server; everything else can be told from the run.
    if (!this._ids.has(run.id) && !this.filter.words.trim() && this.isRead) {
      const oldest = Math.min(...this.rows.map(({ number }) => number));
      if (!this.hasMore || run.number > oldest) {
        this._ids.add(run.id);
      }
    }
    this.tell();
  }

  private readonly _stop: () => void;
  private _ids = new Set<string>();
  private _next: string | null = null;
  private _request = 0;
}

/** Whether an event may change what became of the directives of a run. */
export function changesEffects(runId: string, event: CabinetEvent): boolean {
  return (
    (event.type === 'effects_applied' && event.run_id === runId) ||
    (event.type === 'run_finished' && event.run.id === runId)
  );
}
