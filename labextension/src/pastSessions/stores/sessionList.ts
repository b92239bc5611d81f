/**
 * The sessions on disk that fit the filters, page by page, with their projects. Kept up while it is shown.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import { PastSessionRoutes } from '../../api/pastSessionRoutes';
import type {
  CabinetEvent,
  CliSession,
  CliSessionQuery,
  ProjectList,
  SessionPatch,
  UsageRow
} from '../../api/types';
import { LiveStore, reasonText } from '../../shared/liveStore';
import { projectWith, USAGE_DAYS } from './labels';
import { TimelineStore } from './timeline';

const PAGE = 50;
/** The most that the server gives at once. */
const LARGEST_PAGE = 200;
/** Milliseconds in which what is indexed is read together. */
const TOGETHER = 400;

/** What the list is narrowed by: an empty text is no choice. */
export interface ISessionFilter {
  q: string;
  project: string;
  runtime: string;
  grade: string;
  tag: string;
  starred: boolean;
  archived: boolean;
}

export const NO_FILTER: Readonly<ISessionFilter> = {
  q: '',
  project: '',
  runtime: '',
  grade: '',
  tag: '',
  starred: false,
  archived: false
};

export function queryOf(filter: ISessionFilter): CliSessionQuery {
  const chosen = Object.entries(filter).map(([name, value]): [string, string | boolean] => [
    name,
    typeof value === 'string' ? value.trim() : value
  ]);
  return Object.fromEntries(chosen.filter(([, value]) => value));
}

export class PastSessionStore extends LiveStore {
  constructor(client: CabinetClient, events: EventStream) {
    super(events);
    this._routes = new PastSessionRoutes(client);
    this.keepUp();
  }

  /** The most recently used first; null until the first answer. */
  items: CliSession[] | null = null;
  total = 0;
  projects: ProjectList | null = null;
  /** Of the last days, oldest first; null until it is read. */
  usage: UsageRow[] | null = null;
  filter: Readonly<ISessionFilter> = { ...NO_FILTER };
  isLoadingMore = false;
  /** The session that is shown. */
  timeline: TimelineStore | null = null;

  get hasMore(): boolean {
    return this._next !== null;
  }

  get isFiltered(): boolean {
    return Object.keys(queryOf(this.filter)).length > 0;
  }

  /** Files that the server has still to read. */
  get indexing(): number {
    return this.projects?.indexing ?? 0;
  }

  override dispose(): void {
    this.timeline?.dispose();
    super.dispose();
  }

  /** Apply another filter. The present list stays until the answer comes. */
  async narrow(change: Partial<ISessionFilter>): Promise<void> {
    const projectBefore = this.filter.project;
    this.filter = { ...this.filter, ...change };
    this.tell();
    await Promise.all([
      this._readPage(PAGE),
      this.filter.project === projectBefore ? undefined : this._readUsage()
    ]);
  }

  /** Show what was shown before a reload. `session`: an id; a session that is gone is not shown. */
  async restore(filter: ISessionFilter, session: string): Promise<void> {
    const read = session ? this._routes.session(session).catch(() => null) : null;
    await this.narrow(filter);
    const found = await read;
    if (found && this.timeline === null && !this.isDisposed) {
      this.open(found);
    }
  }

  /** Show the sessions of the project with a folder of the server's root; everything if no session worked there. */
  async showFolder(folder: string): Promise<void> {
    await this._readProjects();
    const project = projectWith(folder, this.projects?.items ?? [])?.cwd ?? '';
    await this.narrow({ ...NO_FILTER, project });
  }

  /** Read everything again; as many sessions as were shown. */
  async refresh(): Promise<void> {
    const shown = this.items?.length ?? 0;
    await Promise.all([
      this._readProjects(),
      this._readPage(Math.min(LARGEST_PAGE, Math.max(PAGE, shown))),
      this._readUsage()
    ]);
  }

  async loadMore(): Promise<void> {
    if (this._next === null || this.isLoadingMore) {
      return;
    }
    this.isLoadingMore = true;
    this.tell();
    await this._readPage(PAGE, this._next);
    this.isLoadingMore = false;
    this.tell();
  }

  /** Show the timeline of a session, at its match of a search; null: none. */
  open(session: CliSession | null): void {
    if (session?.id === this.timeline?.session.id) {
      if (session?.entry) {
        this.timeline!.take(session);
        void this.timeline!.goTo(session.entry);
        void this.timeline!.search.take(this.filter.q);
      }
      return;
    }
    this.timeline?.dispose();
    this.timeline = null;
    if (session) {
      this.timeline = new TimelineStore(this._routes, session);
      void this.timeline.load();
      if (session.entry) {
        void this.timeline.search.take(this.filter.q);
      }
    }
    this.tell();
  }

  /** Change what a person has added to a session. Shown at once, and reverted if the server refuses it. */
  async mark(session: CliSession, patch: SessionPatch): Promise<void> {
    const { add_tags = [], remove_tags = [], ...simple } = patch;
    const { marks } = session;
    const tags = marks.tags.filter(tag => !remove_tags.includes(tag));
    const added = add_tags.filter(tag => !tags.includes(tag));
    this._put({ ...session, marks: { ...marks, ...simple, tags: [...tags, ...added] } });
    try {
      const now = await this._routes.mark(session.id, patch);
      this.problem = null;
      this._put({ ...session, marks: now });
      await this.refresh(); // it may not fit the filters any more, and there may be other tags
    } catch (reason) {
      this._put(session);
      this.problem = reasonText(reason);
      this.tell();
    }
  }

  private _put(session: CliSession): void {
    this.items = this.items?.map(each => (each.id === session.id ? session : each)) ?? null;
    this.timeline?.take(session);
    this.tell();
  }

  private async _readPage(limit: number, cursor?: string): Promise<void> {
    const query = { ...queryOf(this.filter), limit, ...(cursor && { cursor }) };
    await this.latest(
      () => this._routes.sessions(query),
      ({ items, next, total }) => {
        const before = cursor ? (this.items ?? []) : [];
        const known = new Set(before.map(({ id }) => id));
        this.items = [...before, ...items.filter(({ id }) => !known.has(id))];
        this.total = total;
        this._next = next;
        const shown = items.find(({ id }) => id === this.timeline?.session.id);
        if (shown) {
          this.timeline!.take(shown);
        }
      }
    );
  }

  private async _readProjects(): Promise<void> {
    this.projects = await this._routes.projects().catch(() => this.projects);
    this.tell();
  }

  private async _readUsage(): Promise<void> {
    const since = new Date(Date.now() - USAGE_DAYS * 86_400_000).toISOString();
    const { project } = this.filter;
    const usage = await this._routes.usage({ since, project }).catch(() => this.usage);
    if (project === this.filter.project) {
      this.usage = usage;
    }
    this.tell();
  }

  protected override onMissed(): void {
    void this.timeline?.nextPrompts.missed();
    super.onMissed();
  }

  protected onEvent(event: CabinetEvent): void {
    if (event.type === 'run_finished') {
      void this.timeline?.nextPrompts.hear(event.run.id);
    }
    if (event.type !== 'sessions_indexed') {
      return;
    }
    const { ids, indexing } = event;
    if (this.projects) {
      this.projects = { ...this.projects, indexing };
      this.tell();
    }
    if (this.timeline && ids.includes(this.timeline.session.id)) {
      void this.timeline.load();
    }
    this.rereadSoon(TOGETHER);
  }

  protected reread(): void {
    void this.refresh();
  }

  private readonly _routes: PastSessionRoutes;
  private _next: string | null = null;
}
