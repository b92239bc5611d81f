/**
 * The list of past and open sessions: of one document or of all, searched on the server.
 */
import type { CabinetClient } from '../../api/client';
import type { Run, SessionQuery, SessionRow } from '../../api/types';
import { isFinal } from '../../runs';
import { documentOf } from './document';
import { Store } from '../../shared/store';

const MOST_SESSIONS = 50;

/** Whether the sessions of one document are listed, or of all. */
export type Scope = 'document' | 'all';

/** The folder, relative to the root, where the document's newest run in a list worked; without one, its own folder. */
export function folderOf(items: readonly SessionRow[], path: string | null): string {
  const isIts = ({ session }: SessionRow) => path === null || documentOf(session) === path;
  const run = items.find(row => row.last_run !== null && isIts(row))?.last_run;
  return run?.cwd ?? (path?.split('/').slice(0, -1).join('/') || '.');
}

/** One list at a time: what is asked for later takes its place. */
export class HistoryStore extends Store {
  constructor(private readonly _client: CabinetClient) {
    super();
  }

  path: string | null = null;
  scope: Scope = 'document';
  query = '';
  /** Null until the first answer for this document. */
  items: SessionRow[] | null = null;
  error: unknown = null;

  async show(change: { path?: string | null; scope?: Scope; query?: string }): Promise<void> {
    if (change.path !== undefined && change.path !== this.path) {
      this.items = null; // another document's sessions must not stand here for a moment
    }
    Object.assign(this, change);
    this.tell();
    await this.load();
  }

  /** Done when the newest request is done: a later one may have overtaken this one. */
  load(): Promise<void> {
    this._newest = this._load();
    return this._newest;
  }

  private _shows(run: Run): boolean {
    return !this.query && (this.scope === 'all' || run.path === this.path);
  }

  private async _load(): Promise<void> {
    const request = ++this._request;
    try {
      const list = await this._client.sessions(this._wanted());
      if (request !== this._request) {
        return this._newest;
      }
      this.items = list.items;
      this.error = null;
    } catch (reason) {
      this.error = reason; // what was there stays readable
    }
    this.tell();
  }

  /** A run of a listed session has a new state. */
  update(run: Run): void {
    const row = this.items?.find(known => known.session.id === run.session_id);
    if (row && (!row.last_run || row.last_run.queued_at <= run.queued_at)) {
      this.items = this.items!.map(known => (known === row ? { ...row, last_run: run } : known));
      this.tell();
    } else if (!row && this.items && run.path && this._shows(run)) {
      void this.load(); // somebody else began a session
    }
  }

  private _wanted(): SessionQuery {
    const path = this.scope === 'document' ? (this.path ?? undefined) : undefined;
    return { path, q: this.query || undefined, limit: MOST_SESSIONS };
  }

  private _request = 0;
  private _newest: Promise<void> = Promise.resolve();
}

/** The session to come back to when its document is opened: one that works, else one whose CLI is open. */
export function sessionToResume(rows: SessionRow[], path: string | null): string | null {
  const own = rows.filter(({ session }) => documentOf(session) === path);
  const row =
    own.find(({ last_run }) => last_run !== null && !isFinal(last_run)) ??
    own.find(({ session }) => session.terminal_id !== null);
  return row?.session.id ?? null;
}
