/**
 * What agents did: the newest runs that fit the filters, older ones page by page. Kept up while it is shown.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { CabinetEvent, ActivityEntry, ActivityQuery, Run } from '../../api/types';
import { RecentMap } from '../../shared/recentMap';
import { LiveStore, reasonText } from '../../shared/liveStore';

const PAGE = 50;
/** Whole answers that are kept. */
const MOST_WHOLE = 50;
/** Milliseconds in which what happens is read together. */
const TOGETHER = 400;

/** After these an entry is another one. */
const CHANGES: ReadonlySet<string> = new Set<CabinetEvent['type']>([
  'run_queued',
  'run_started',
  'run_waiting',
  'run_resumed',
  'run_finished',
  'approval_closed',
  'changes_updated'
]);

/** What the list is narrowed by, as a person has chosen it: an empty text is no choice. `from` and `to` are days. */
export interface IActivityFilter {
  q: string;
  person: string;
  agent: string;
  runtime: string;
  state: string;
  path: string;
  from: string;
  to: string;
  changed: boolean;
  asked: boolean;
}

export const NO_FILTER: Readonly<IActivityFilter> = {
  q: '',
  person: '',
  agent: '',
  runtime: '',
  state: '',
  path: '',
  from: '',
  to: '',
  changed: false,
  asked: false
};

/** The days of the filter are those of this browser's clock, both included. */
export function queryOf(filter: IActivityFilter): ActivityQuery {
  const { from, to, changed, asked, ...texts } = filter;
  const query: Record<string, string | boolean> = {};
  for (const [name, value] of Object.entries(texts)) {
    if (value.trim()) {
      query[name] = value.trim();
    }
  }
  const since = startOfDay(from, 0);
  const until = startOfDay(to, 1);
  return {
    ...query,
    ...(since && { since }),
    ...(until && { until }),
    ...(changed && { changed }),
    ...(asked && { asked })
  };
}

/** The beginning of the day that is so many days after `day`, "2026-03-01"; empty for what is none. */
function startOfDay(day: string, after: number): string {
  const time = new Date(`${day}T00:00:00`);
  if (Number.isNaN(time.getTime())) {
    return '';
  }
  time.setDate(time.getDate() + after);
  return time.toISOString();
}

export class ActivityStore extends LiveStore {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream,
    /** The slug of the agent with a name; anything else as it is. */
    private readonly _slugOf: (name: string) => string
  ) {
    super(events);
    this.keepUp();
  }

  /** Newest first; null until the first answer to this filter. */
  items: ActivityEntry[] | null = null;
  filter: IActivityFilter = { ...NO_FILTER };
  isLoadingOlder = false;
  isExporting = false;

  get hasOlder(): boolean {
    return this._next !== null;
  }

  get isFiltered(): boolean {
    return Object.keys(queryOf(this.filter)).length > 0;
  }

  /** Apply another filter. The present list stays until the answer comes. */
  async narrow(change: Partial<IActivityFilter>): Promise<void> {
    this.filter = { ...this.filter, ...change };
    this.tell();
    await this.load();
  }

  /** The run that shall be shown with all that is known of it, once it is in the list. */
  wanted: string | null = null;

  /** Show this run, which was just asked for: it may not fit the filters. */
  async reveal(runId: string): Promise<void> {
    this.wanted = runId;
    await (this.isFiltered ? this.narrow(NO_FILTER) : this.refresh());
  }

  /** A list has only the beginning of a long answer: read the whole one. What cannot be read stays cut. */
  async readWhole(runId: string): Promise<void> {
    const run = await this._client.run(runId).catch(() => null);
    if (run) {
      this._whole.set(runId, run.result);
      this._put(this.items ?? []);
      this.tell();
    }
  }

  /** Stop a run that works or waits. The reason of a refusal is in `problem`. */
  async stop(runId: string): Promise<void> {
    try {
      await this._client.cancel(runId);
      this.problem = null;
    } catch (reason) {
      this.problem = (reason as Error).message;
    }
    this.tell();
  }

  /** Read only the newest again. A late answer never replaces a newer one. */
  load(): Promise<void> {
    return this.latest(
      () => this._page(),
      ({ items, next }) => {
        this._put(items);
        this._next = next ?? null;
      }
    );
  }

  /** Read the newest again; older entries that were read are kept. */
  refresh(): Promise<void> {
    return this.latest(
      () => this._page(),
      ({ items, next }) => {
        const newest = new Set(items.map(({ run }) => run.id));
        const last = items.at(-1)?.run.number ?? -Infinity;
        const older = (this.items ?? []).filter(
          ({ run }) => run.number < last && !newest.has(run.id)
        );
        this._put([...items, ...older]);
        this._next = older.length ? this._next : (next ?? null);
      }
    );
  }

  async loadOlder(): Promise<void> {
    if (this._next === null || this.isLoadingOlder) {
      return;
    }
    this.isLoadingOlder = true;
    this.tell();
    await this.latest(
      () => this._page(this._next!),
      ({ items, next }) => {
        const known = new Set(this.items?.map(({ run }) => run.id));
        this._put([...(this.items ?? []), ...items.filter(({ run }) => !known.has(run.id))]);
        this._next = next ?? null;
      }
    );
    this.isLoadingOlder = false;
    this.tell();
  }

  /** Everything that fits the filter, as a file; null where the server refuses: `problem` says why. */
  async export(format: 'jsonl' | 'ipynb'): Promise<Blob | null> {
    this.isExporting = true;
    this.tell();
    try {
      return await this._client.exportActivity(this._query, format);
    } catch (reason) {
      this.problem = reasonText(reason);
      return null;
    } finally {
      this.isExporting = false;
      this.tell();
    }
  }

  private _page(cursor?: string) {
    return this._client.activity({ ...this._query, limit: PAGE, ...(cursor && { cursor }) });
  }

  private get _query(): ActivityQuery {
    const query = queryOf(this.filter);
    return query.agent ? { ...query, agent: this._slugOf(query.agent) } : query;
  }

  protected onEvent({ type }: CabinetEvent): void {
    if (CHANGES.has(type) && this.items !== null) {
      this.rereadSoon(TOGETHER, true);
    }
  }

  protected reread(): void {
    void this.refresh();
  }

  /** The beginnings of answers whose whole text is known are not taken for news. */
  private _put(items: readonly ActivityEntry[]): void {
    this.items = items.map(entry => {
      const result = this._whole.get(entry.run.id);
      return result && entry.run.result?.cut ? { ...entry, run: { ...entry.run, result } } : entry;
    });
  }

  private readonly _whole = new RecentMap<string, Run['result']>(MOST_WHOLE);
  private _next: string | null = null;
}
