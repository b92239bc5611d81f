/**
 * The timeline of one session. Its entries are read in blocks, when they come into view.
 */
import type { ExportFormat, PastSessionRoutes } from '../../api/pastSessionRoutes';
import type { CliSession, ContinueSession, Run, Timeline, TimelineEntry } from '../../api/types';
import { Store } from '../../shared/store';

/** Entries that are read at once. */
const BLOCK = 100;

export type JumpKind = 'errors' | 'people' | 'edits';

export class TimelineStore extends Store {
  constructor(
    private readonly _routes: PastSessionRoutes,
    public session: CliSession
  ) {
    super();
  }

  /** Everything but the entries; null until the first answer. */
  outline: Omit<Timeline, 'items' | 'session'> | null = null;
  /** Why it cannot be read, or something was not done. */
  problem: string | null = null;
  isExporting = false;
  isContinuing = false;
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

  /** The next place of this kind after `place`; from the end to the first one. Null: there is none. */
  next(kind: JumpKind, place: number): number | null {
    const places = this.outline?.[kind] ?? [];
    return places.find(each => each > place) ?? places[0] ?? null;
  }

  /** A newer state of the session, from a list. */
  take(session: CliSession): void {
    if (session.id === this.session.id) {
      this.session = session;
      this.tell();
    }
  }

  /** Read the blocks that are known again, as when the session has grown; at first the first one. */
  async load(): Promise<void> {
    const blocks = this._blocks.size ? [...this._blocks] : [0];
    this._blocks.clear();
    await Promise.all(blocks.map(block => this._read(block)));
  }

  /** Read what is missing between two places, both included. */
  async show(first: number, last: number): Promise<void> {
    const blocks = [];
    for (let block = Math.floor(first / BLOCK); block <= Math.floor(last / BLOCK); block++) {
      if (!this._blocks.has(block)) {
        blocks.push(block);
      }
    }
    await Promise.all(blocks.map(block => this._read(block)));
  }

  /** The whole session as a file; null if the server refuses it. */
  async export(format: ExportFormat): Promise<Blob | null> {
    this.isExporting = true;
    this.tell();
    const file = await this._trying(() => this._routes.export(this.session.id, format));
    this.isExporting = false;
    this.tell();
    return file;
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
    const read = () => this._routes.timeline(this.session.id, block * BLOCK, BLOCK);
    const page = await this._trying(read);
    if (page === null) {
      this._blocks.delete(block);
      return;
    }
    const { items, session, ...outline } = page;
    items.forEach(entry => this._entries.set(entry.place, entry));
    this.outline = outline;
    this.session = { ...session, snippet: this.session.snippet, entry: this.session.entry };
    this.tell();
  }

  private async _trying<T>(act: () => Promise<T>): Promise<T | null> {
    try {
      const done = await act();
      this.problem = null;
      return done;
    } catch (reason) {
      this.problem = reason instanceof Error ? reason.message : String(reason);
      this.tell();
      return null;
    }
  }

  private readonly _entries = new Map<number, TimelineEntry>();
  private readonly _blocks = new Set<number>();
}
