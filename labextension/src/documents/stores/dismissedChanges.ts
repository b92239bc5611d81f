/**
 * Keeps in the browser which changes a person has dismissed, so that a document does not show them again when it is
 * opened the next time.
 */
/** The newest are kept. */
const MOST_DISMISSED = 300;

/** What this module needs of `window.localStorage`, which may be full or forbidden. */
export type DismissalStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** Other pages on this server write to the same place. */
export class DismissedChanges {
  /** `key`: names the server. */
  constructor(
    private readonly _storage: DismissalStorage,
    private readonly _key: string
  ) {}

  has(runId: string, path: string): boolean {
    return this._read().includes(nameOf(runId, path));
  }

  add(runId: string, path: string): void {
    const name = nameOf(runId, path);
    const kept = [...this._read().filter(each => each !== name), name].slice(-MOST_DISMISSED);
    try {
      this._storage.setItem(this._key, JSON.stringify(kept));
    } catch {
      // The browser has no room, or keeps nothing: the changes are shown again.
    }
  }

  private _read(): string[] {
    try {
      const saved: unknown = JSON.parse(this._storage.getItem(this._key) ?? '[]');
      return Array.isArray(saved) ? saved.filter(each => typeof each === 'string') : [];
    } catch {
      return [];
    }
  }
}

function nameOf(runId: string, path: string): string {
  return `${runId}/${path}`;
}
