/**
 * The bookmarks and notes of one session. A change is shown at once, and reverted if the server refuses it.
 */
import type { PastSessionRoutes } from '../../api/pastSessionRoutes';
import type { EntryMark, EntryPatch, MarkedEntry, TimelineEntry } from '../../api/types';
import { reasonText } from '../../shared/liveStore';
import { Store } from '../../shared/store';
import type { TimelineStore } from './timeline';

export function markOf({ bookmarked = false, id, note = '' }: TimelineEntry): EntryMark {
  return { entry: id, bookmarked, note };
}

export class TimelineMarks extends Store {
  constructor(
    private readonly _routes: PastSessionRoutes,
    private readonly _timeline: TimelineStore
  ) {
    super();
  }

  /** In the order of the timeline; null until the first answer. */
  items: readonly MarkedEntry[] | null = null;
  /** Why the last change was not made. */
  problem: string | null = null;
  /** The mark whose note was removed last, to be restored. */
  removed: EntryMark | null = null;

  async load(): Promise<void> {
    const request = ++this._request;
    const { outline, session } = this._timeline;
    const query = { branch: outline?.branch };
    const items = await this._routes.marked(session.id, query).catch(() => this.items);
    if (request === this._request) {
      this.items = items;
      this.tell();
    }
  }

  /** Go to an entry of the list, also if it is on another branch. */
  open({ entry, place }: MarkedEntry): void {
    if (place === null) {
      void this._timeline.goTo(entry);
    } else {
      this._timeline.choose(place);
    }
  }

  async toggle(mark: EntryMark): Promise<void> {
    await this._change(mark, { entry: mark.entry, bookmarked: !mark.bookmarked });
  }

  /** Change the note; an empty text removes it, and `restore` brings it back. */
  async write(mark: EntryMark, text: string): Promise<void> {
    const note = text.trim();
    if (note === mark.note) {
      return;
    }
    this.removed = null;
    if ((await this._change(mark, { entry: mark.entry, note })) && !note) {
      this.removed = mark;
      this.tell();
    }
  }

  /** Write the note again that was removed last. */
  async restore(): Promise<void> {
    const { removed } = this;
    if (removed) {
      this.removed = null;
      const { entry, note } = removed;
      const now = this.items?.find(each => each.entry === entry);
      await this._change(
        { entry, bookmarked: now?.bookmarked ?? false, note: '' },
        { entry, note }
      );
    }
  }

  /** Close what the last change has reported. */
  dismiss(): void {
    this.problem = this.removed = null;
    this.tell();
  }

  /** False: the server has refused it. */
  private async _change(before: EntryMark, patch: EntryPatch): Promise<boolean> {
    this.problem = null;
    this._show({ ...before, ...patch });
    try {
      this._show(await this._routes.markEntry(this._timeline.session.id, patch));
      await this.load();
      return true;
    } catch (reason) {
      this.problem = reasonText(reason);
      this._show(before);
      await this.load();
      return false;
    }
  }

  private _show(mark: EntryMark): void {
    const items = this.items?.map(each =>
      each.entry === mark.entry ? { ...each, ...mark } : each
    );
    this.items = items?.filter(({ bookmarked, note }) => bookmarked || note) ?? null;
    this._timeline.putMark(mark);
    this.tell();
  }

  private _request = 0;
}
