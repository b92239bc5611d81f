/**
 * The messages of a channel, page by page, narrowed by a search. The list of channels says when to read them again.
 */
import type { ChannelRoutes } from '../../api/channelRoutes';
import { ApiError } from '../../api/client';
import type { ChannelMessage } from '../../api/types';
import { ReadingStore, reasonText } from '../../shared/liveStore';
import { ownZone } from './forms';

const PAGE = 50;
/** The most that the server gives at once. */
const LARGEST_PAGE = 200;

export class MessageStore extends ReadingStore {
  constructor(
    private readonly _routes: ChannelRoutes,
    readonly channelId: string
  ) {
    super();
  }

  /** Newest first; null until the first answer. */
  items: ChannelMessage[] | null = null;
  query = '';
  /** Whether the server shows them to other people only. */
  isForbidden = false;
  isLoadingOlder = false;
  isExporting = false;

  get hasOlder(): boolean {
    return this._next !== null;
  }

  /** Show only messages with this text. The present ones stay until the answer comes. */
  async search(query: string): Promise<void> {
    if (query.trim() !== this.query) {
      this.query = query.trim();
      this.tell();
      await this._read(PAGE);
    }
  }

  /** Read the newest again; as many as were shown, if the server gives so many. */
  async refresh(): Promise<void> {
    await this._read(Math.min(LARGEST_PAGE, Math.max(PAGE, this.items?.length ?? 0)));
  }

  async loadOlder(): Promise<void> {
    if (this._next !== null && !this.isLoadingOlder) {
      this.isLoadingOlder = true;
      this.tell();
      await this._read(PAGE, this._next);
      this.isLoadingOlder = false;
      this.tell();
    }
  }

  /** All messages as a file, with the days of the browser's time zone; null if the server refuses it. */
  async export(): Promise<Blob | null> {
    this.isExporting = true;
    this.tell();
    try {
      return await this._routes.export(this.channelId, ownZone());
    } catch (reason) {
      this.problem = reasonText(reason);
      return null;
    } finally {
      this.isExporting = false;
      this.tell();
    }
  }

  private async _read(limit: number, cursor?: number): Promise<void> {
    const { query } = this;
    await this.latest(
      () => this._routes.messages(this.channelId, { cursor, limit, query }),
      page => {
        this.items = [...(cursor === undefined ? [] : (this.items ?? [])), ...page.items];
        this._next = page.next ?? null;
        this.isForbidden = false;
      },
      reason => {
        this.isForbidden = reason instanceof ApiError && reason.status === 403;
      }
    );
  }

  private _next: number | null = null;
}
