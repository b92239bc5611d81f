/**
 * What a person was looking at, the filters and the session, kept for each person across reloads.
 */
import type { IStateDB } from '@jupyterlab/statedb';
import type { IDisposable } from '@lumino/disposable';

import type { ConnectionStore } from '../../shared/connection';
import { NO_FILTER, type ISessionFilter, type PastSessionStore } from './sessionList';

interface IView {
  filter: ISessionFilter;
  /** The id of the session that is shown; empty: none. */
  session: string;
}

/** `_restores`: false if the tab was opened to show something else; what is chosen in it is kept all the same. */
export class KeptView implements IDisposable {
  constructor(
    private readonly _sessions: PastSessionStore,
    private readonly _db: IStateDB | null,
    private _restores = true
  ) {
    _sessions.changed.connect(this._save, this);
  }

  isDisposed = false;

  /** Restore the view of whoever this page is logged in as, as soon as that is known. Nothing that was chosen is lost. */
  follow(connection: ConnectionStore): void {
    this._unfollow = connection.followUsername(username => void this.load(username));
  }

  async load(username: string): Promise<void> {
    this._username = username;
    this._isLoaded = false;
    const saved = await this._db?.fetch(this._key).catch(() => undefined);
    if (this._restores && this._isUntouched) {
      const { filter, session } = viewOf(saved);
      await this._sessions.restore(filter, session);
    }
    this._restores = false;
    if (this._username === username) {
      this._isLoaded = true;
      this._save();
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this._unfollow();
    this._sessions.changed.disconnect(this._save, this);
  }

  private get _isUntouched(): boolean {
    return !this.isDisposed && !this._sessions.isFiltered && this._sessions.timeline === null;
  }

  private _save(): void {
    const { filter, timeline } = this._sessions;
    const view = { filter: { ...filter }, session: timeline?.session.id ?? '' };
    const text = JSON.stringify(view);
    if (this._isLoaded && !this.isDisposed && text !== this._saved) {
      this._saved = text;
      void this._db?.save(this._key, view);
    }
  }

  private get _key(): string {
    return `jupyter-cabinet:past-sessions:${this._username}`;
  }

  private _unfollow = (): void => undefined;
  private _username: string | null = null;
  private _isLoaded = false;
  private _saved = '';
}

/** What was saved, perhaps by another version, as far as it is understood. */
function viewOf(saved: unknown): IView {
  const { filter, session } = (saved ?? {}) as {
    filter?: Record<string, unknown>;
    session?: unknown;
  };
  const known = Object.entries(NO_FILTER).filter(
    ([name, none]) => typeof filter?.[name] === typeof none
  );
  return {
    filter: { ...NO_FILTER, ...Object.fromEntries(known.map(([name]) => [name, filter![name]])) },
    session: typeof session === 'string' ? session : ''
  };
}
