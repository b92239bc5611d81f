/**
 * The timeline of one session. Its entries are read in blocks, when they come into view. It begins at an entry that a
 * search has found, also far from the beginning and on another branch.
 */
import type { ExportFormat, PastSessionRoutes } from '../../api/pastSessionRoutes';
import type {
  CliSession,
  ContinueSession,
  EntryMark,
  Run,
  Timeline,
  TimelineEntry
} from '../../api/types';
import { reasonText } from '../../shared/liveStore';
import { Store } from '../../shared/store';
import { NextPromptStore } from './nextPrompts';
import { TimelineMarks } from './timelineMarks';
import { TimelineSearch } from './timelineSearch';

/** Entries that are read at once. */
const BLOCK = 100;

export type JumpKind = 'errors' | 'people' | 'edits';

/** Another object for each jump, also for one to the same place. */
export interface ITarget {
  readonly place: number;
}

export class TimelineStore extends Store {
  constructor(
    private readonly _routes: PastSessionRoutes,
    public session: CliSession
  ) {
    super();
    this.search = new TimelineSearch(_routes, this);
    this.marks = new TimelineMarks(_routes, this);
    this.nextPrompts = new NextPromptStore(_routes, this);
  }

  readonly search: TimelineSearch;
  readonly marks: TimelineMarks;
  readonly nextPrompts: NextPromptStore;

  /** Everything but the entries; null until the first answer. */
  outline: Omit<Timeline, 'items' | 'session'> | null = null;
  /** The entry that was chosen last: it is highlighted, and scrolled to when it changes. */
  current: ITarget | null = null;
  /** Why it cannot be read, or something was not done. */
  problem: string | null = null;
  isExporting = false;
  isContinuing = false;
  /** The runtime of the last run in the session; empty: there is none. Null until it is read. */
  lastRuntime: string | null = null;
  /** The last run that was started from here. */
  startedRun: Run | null = null;

  /** Null while it is not read. */
  entry(place: number): TimelineEntry | null {
    return this._entries.get(place) ?? null;
  }

  /** The number of the entry with this id, among those that are read. */
  placeOf(id: string): number | null {
    return [...this._entries.values()].find(entry => entry.id === id)?.place ?? null;
  }

  /** Choose the next entry of this kind after the chosen one; after the last one the first. Its place; null: none. */
  jump(kind: JumpKind): number | null {
    const places = this.outline?.[kind] ?? [];
    const place = this.current?.place ?? -1;
    const next = places.find(each => each > place) ?? places[0] ?? null;
    if (next !== null) {
      this.choose(next);
    }
    return next;
  }

  /** Choose the entry at a place. */
  choose(place: number): void {
    this._wanted = null;
    this.current = { place };
    this.tell();
  }

  /** Choose the entry with this id, on its branch; read it first if it is not read yet. False: it cannot be read. */
  async goTo(entry: string): Promise<boolean> {
    const known = this.placeOf(entry);
    if (known !== null) {
      this.choose(known);
      return true;
    }
    this._wanted = entry;
    const query = { around: entry, limit: BLOCK };
    const page = await this._trying(() => this._routes.timeline(this.session.id, query));
    if (page === null || this._wanted !== entry) {
      return page !== null; // something else was chosen meanwhile
    }
    const place = page.place ?? 0;
    this._take(page);
    this._blocks.add(Math.floor(place / BLOCK));
    this.choose(place);
    return true;
  }

  override dispose(): void {
    this.search.dispose();
    this.marks.dispose();
    this.nextPrompts.dispose();
    super.dispose();
  }

  /** A newer mark of an entry, if that is read. */
  putMark({ bookmarked, entry: id, note }: EntryMark): void {
    const entry = [...this._entries.values()].find(each => each.id === id);
    if (entry) {
      this._entries.set(entry.place, { ...entry, bookmarked, note });
      this.tell();
    }
  }

  /** A newer state of the session, from a list. */
  take(session: CliSession): void {
    if (session.id === this.session.id) {
      this.session = session;
      this.tell();
    }
  }

  /** Read the blocks that are known again, as when the session has grown; at first the one with the match. */
  async load(): Promise<void> {
    if (this.outline === null && this.session.entry && (await this.goTo(this.session.entry))) {
      await this.marks.load();
      return;
    }
    const blocks = this._blocks.size ? [...this._blocks] : [0];
    this._blocks.clear();
    await Promise.all([
      ...blocks.map(block => this._read(block)),
      this.search.repeat(),
      this.marks.load()
    ]);
  }

  /** Read what is missing between two places, both included. */
  async show(first: number, last: number): Promise<void> {
    this._inView = [first, last];
    const blocks = [];
    for (let block = Math.floor(first / BLOCK); block <= Math.floor(last / BLOCK); block++) {
      if (!this._blocks.has(block)) {
        blocks.push(block);
      }
    }
    await Promise.all(blocks.map(block => this._read(block)));
  }

  /** The whole branch that is shown as a file; null if the server refuses it. */
  async export(format: ExportFormat): Promise<Blob | null> {
    this.isExporting = true;
    this.tell();
    const query = { format, branch: this.outline?.branch || undefined };
    const file = await this._trying(() => this._routes.export(this.session.id, query));
    this.isExporting = false;
    this.tell();
    return file;
  }

  /** Read which runtime has worked in the session last. */
  async readLastRuntime(): Promise<void> {
    const runs = await this._routes.runs(this.session.id).catch(() => []);
    this.lastRuntime = runs[0]?.runtime ?? '';
    this.tell();
  }

  /** A run that continues the session; the text of a refusal instead if the server does not start it. */
  async continue(body: ContinueSession): Promise<Run | string> {
    this.isContinuing = true;
    this.tell();
    try {
      this.startedRun = await this._routes.continue(this.session.id, body);
      return this.startedRun;
    } catch (reason) {
      return (reason as Error).message;
    } finally {
      this.isContinuing = false;
      this.tell();
    }
  }

  private async _read(block: number): Promise<void> {
    this._blocks.add(block);
    const branch = this.outline?.branch ?? '';
    const query = { from: block * BLOCK, limit: BLOCK, branch };
    const page = await this._trying(() => this._routes.timeline(this.session.id, query));
    if (page === null) {
      this._blocks.delete(block);
    } else if (branch === (this.outline?.branch ?? '')) {
      const isOther = this._take(page);
      this._blocks.add(block);
      this.tell();
      if (isOther) {
        await this.show(...this._inView); // what is in view is of the former branch
      }
    }
  }

  /** Whether it is another branch than before, so that all other entries have to be read again. */
  private _take({ items, session, ...outline }: Timeline): boolean {
    const isOther = (this.outline?.branch ?? '') !== outline.branch;
    if (isOther) {
      this._entries.clear();
      this._blocks.clear();
      this.current = null;
    }
    items.forEach(entry => this._entries.set(entry.place, entry));
    this.outline = outline;
    this.session = { ...session, snippet: this.session.snippet, entry: this.session.entry };
    if (isOther) {
      void this.search.repeat();
      void this.marks.load();
    }
    return isOther;
  }

  private async _trying<T>(act: () => Promise<T>): Promise<T | null> {
    try {
      const done = await act();
      this.problem = null;
      return done;
    } catch (reason) {
      this.problem = reasonText(reason);
      this.tell();
      return null;
    }
  }

  private readonly _entries = new Map<number, TimelineEntry>();
  private readonly _blocks = new Set<number>();
  /** The first and the last place in view. */
  private _inView: [number, number] = [0, 0];
  /** The entry that is being read to be chosen. */
  private _wanted: string | null = null;
}
