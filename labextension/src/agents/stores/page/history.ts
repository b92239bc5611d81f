/**
 * The runs of an agent, newest first: a page of them at a time, narrowed to what a person looks for.
 */
import { AgentRoutes } from '../../../api/agentRoutes';
import { ApiError, type CabinetClient } from '../../../api/client';
import type { EventStream } from '../../../api/events';
import type {
  AgentHistory,
  CabinetEvent,
  EarlierHeartbeat,
  Run,
  RunState,
  Tick
} from '../../../api/types';
import type { RunStore } from '../../../runs';
import { Store } from '../../../shared/store';
import { Resource } from '../../../shared/resource';

export const PAGE = 50;

/** Empty: any. */
export interface IRunFilter {
  state: RunState | '';
  kind: string;
  words: string;
}

export const ANY: IRunFilter = { state: '', kind: '', words: '' };

/** So many are shown at most; what is looked for beyond them is found by a filter. */
export const MOST = 1_000;

/** Kept up until it is disposed of. The runs themselves are those of `runs`, which knows the newest state of each. */
export class AgentRuns extends Store {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream,
    private readonly _runs: RunStore,
    private readonly _slug: string,
    private readonly _most = MOST
  ) {
    super();
    this._stop = events.onMissed(() => void this.load());
    _runs.updated.connect(this._onRun, this);
  }

  filter: IRunFilter = ANY;
  problem: string | null = null;

  override dispose(): void {
    this._stop();
    this._runs.updated.disconnect(this._onRun, this);
    super.dispose();
  }

  /** Whether the answer to this filter is there. Until then the runs of the one before stay, as far as they fit. */
  get isRead(): boolean {
    return this._answered === this.filter;
  }

  /** Newest first. A run that no longer fits the filter is left out at once. */
  get rows(): Run[] {
    return [...this._known.keys()]
      .map(id => this._runs.get(id) ?? this._known.get(id)!)
      .filter(run => this._fits(run))
      .sort((a, b) => b.number - a.number);
  }

  /** Whether there are older ones, and room for them. */
  get hasMore(): boolean {
    return this.isRead && this._next !== null && !this.isFull;
  }

  /** Whether as many are shown as may be. */
  get isFull(): boolean {
    return this._known.size >= this._most;
  }

  async narrow(filter: IRunFilter): Promise<void> {
    this.filter = filter;
    this.tell();
    await this.load();
  }

  /** The newest page. A late answer never takes the place of a newer one. */
  load(): Promise<void> {
    return this._read(undefined);
  }

  async more(): Promise<void> {
    if (this.hasMore) {
      await this._read(this._next!);
    }
  }

  private async _read(cursor: string | undefined): Promise<void> {
    const request = ++this._request;
    const { filter } = this;
    const { kind, state, words } = filter;
    try {
      const limit = Math.min(PAGE, this._most);
      const query = { agent: this._slug, kind, state, q: words.trim(), limit, cursor };
      const { items, next } = await this._client.runs(query);
      if (request !== this._request || this.isDisposed) {
        return;
      }
      if (!this.isRead) {
        this._known.clear();
      }
      // Older pages that are shown are kept if only the newest is read again.
      this._next = cursor === undefined && this._known.size > PAGE ? this._next : next;
      this._answered = filter;
      items.forEach(run => this._keep(run));
      items.forEach(run => this._runs.put(run));
      this.problem = null;
    } catch (reason) {
      if (request !== this._request) {
        return;
      }
      this.problem = reason instanceof ApiError ? reason.message : null;
    }
    this.tell();
  }

  /** Beyond as many as may be shown, the oldest is forgotten. */
  private _keep(run: Run): void {
    this._known.set(run.id, run);
    if (this._known.size > this._most) {
      const oldest = [...this._known.values()].reduce((a, b) => (b.number < a.number ? b : a));
      this._known.delete(oldest.id);
    }
  }

  private _fits(run: Run): boolean {
    const { kind, state } = this.filter;
    return (!state || run.state === state) && (!kind || run.kind === kind);
  }

  private _onRun(_: RunStore, run: Run): void {
    if (run.agent !== this._slug) {
      return;
    }
    // The server searches the text; every other filter can be evaluated on the run.
    if (this._known.has(run.id)) {
      this._known.set(run.id, run);
    } else if (!this.filter.words.trim() && this.isRead) {
      const oldest = Math.min(...[...this._known.values()].map(({ number }) => number));
      if ((this._next === null && !this.isFull) || run.number > oldest) {
        this._keep(run);
      }
    }
    this.tell();
  }

  private readonly _stop: () => void;
  /** As last received: `runs` forgets those that ended long ago. */
  private readonly _known = new Map<string, Run>();
  private _answered: IRunFilter | null = null;
  private _next: string | null = null;
  private _request = 0;
}

/** All of them, to be looked through, and the heartbeats that did not start. */
export class HistoryStore extends AgentRuns {
  constructor(client: CabinetClient, events: EventStream, runs: RunStore, slug: string) {
    super(client, events, runs, slug);
    const routes = new AgentRoutes(client);
    this.beside = new Resource(
      () => routes.history(slug),
      events,
      event => event.type === 'tick_skipped' && event.key.endsWith(`/${slug}`)
    );
    this.beside.changed.connect(() => this.tell());
  }

  /** What is known besides its runs: scheduled heartbeats, and those of other installations. */
  readonly beside: Resource<AgentHistory>;

  override dispose(): void {
    this.beside.dispose();
    super.dispose();
  }

  /** Heartbeats that were due and did not start, where nothing is looked for but them. */
  get skipped(): Tick[] {
    const { kind, state, words } = this.filter;
    const fits = !words && (!state || state === 'skipped') && (!kind || kind === 'heartbeat');
    return fits ? (this.beside.value?.items ?? []).filter(tick => tick.skipped !== '') : [];
  }

  /** Heartbeats of other installations that fit the filter; below the oldest run of this server. */
  get earlier(): EarlierHeartbeat[] {
    const { kind, state, words } = this.filter;
    const wanted = words.trim().toLowerCase();
    return (this.beside.value?.earlier ?? []).filter(
      ({ status, summary }) =>
        (!kind || kind === 'heartbeat') &&
        (!state || state === (status === 'completed' ? 'succeeded' : 'failed')) &&
        summary.toLowerCase().includes(wanted)
    );
  }
}

/** Whether an event may change the outcomes of the directives of a run. */
export function changesEffects(runId: string, event: CabinetEvent): boolean {
  return (
    (event.type === 'effects_applied' && event.run_id === runId) ||
    (event.type === 'run_finished' && event.run.id === runId)
  );
}
