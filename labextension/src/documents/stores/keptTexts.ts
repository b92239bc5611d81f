/**
 * Keeps in the browser what a person had not saved when the page was closed, or crashed, while an agent worked.
 */

/** The newest are kept, up to so many and so long together. */
const MOST_TEXTS = 20;
const MOST_CHARACTERS = 2_000_000;
/** An older text is removed. */
const LONGEST_DAYS = 30;
const DAY_MS = 24 * 3600 * 1000;

/** What this module needs of `window.localStorage`, which may be full or forbidden. */
export type TextStorage = Pick<Storage, 'getItem' | 'removeItem' | 'setItem'>;

export interface IKeptText {
  path: string;
  text: string;
  /** The version of the file that the text was made from (`versionOf`). */
  version: string;
  /** When it was kept, in milliseconds since 1970. */
  at: number;
  /** The page that keeps it while it is open (see `LivePages`); empty if that was closed. */
  page?: string;
}

/** The texts of one person on one server. Other pages of this person write to the same place. */
export class KeptTexts {
  /** `key`: names the server and the person. `now`: in milliseconds since 1970. */
  constructor(
    private readonly _storage: TextStorage,
    private readonly _key: string,
    private readonly _now: () => number = Date.now
  ) {}

  /** The newest text of a document. `open`: pages that still have theirs. */
  of(path: string, open: ReadonlySet<string> = new Set()): IKeptText | null {
    const isLeft = ({ page }: IKeptText) => !page || !open.has(page);
    return this._read().find(each => each.path === path && isLeft(each)) ?? null;
  }

  add(text: IKeptText): void {
    this.replace([], [text]);
  }

  remove(text: IKeptText): void {
    this.replace([text], []);
  }

  /** What is too old is no longer in the browser afterwards. */
  removeOld(): void {
    const all = this._readAll();
    const fresh = all.filter(this._isFresh);
    if (fresh.length < all.length) {
      this._save(fresh);
    }
  }

  /** False if the browser has no room, or keeps nothing: then nothing has changed. */
  replace(before: readonly IKeptText[], after: readonly IKeptText[]): boolean {
    if (!before.length && !after.length) {
      return true;
    }
    const isOther = (each: IKeptText) =>
      before.every(({ at, path }) => each.path !== path || each.at !== at);
    return this._save([...after, ...this._read().filter(isOther)]);
  }

  private readonly _isFresh = ({ at }: IKeptText): boolean =>
    at > this._now() - LONGEST_DAYS * DAY_MS;

  private _read(): IKeptText[] {
    return this._readAll().filter(this._isFresh);
  }

  /** The newest first. */
  private _readAll(): IKeptText[] {
    try {
      const saved: unknown = JSON.parse(this._storage.getItem(this._key) ?? '[]');
      return Array.isArray(saved) ? saved.filter(isKept) : [];
    } catch {
      return [];
    }
  }

  private _save(texts: readonly IKeptText[]): boolean {
    let characters = 0;
    const kept = texts.slice(0, MOST_TEXTS).filter(({ text }) => {
      const isShortEnough = characters + text.length <= MOST_CHARACTERS;
      characters += isShortEnough ? text.length : 0;
      return isShortEnough;
    });
    try {
      if (kept.length) {
        this._storage.setItem(this._key, JSON.stringify(kept));
      } else {
        this._storage.removeItem(this._key);
      }
      return true;
    } catch {
      return false; // JupyterLab asks before the page is closed
    }
  }
}

/** Remove what is too old, of every server and person. `prefix`: how their keys begin. */
export function removeOldTexts(storage: Storage, prefix: string): void {
  Object.keys(storage)
    .filter(key => key.startsWith(prefix))
    .forEach(key => new KeptTexts(storage, key).removeOld());
}

function isKept(entry: Partial<IKeptText> | null): entry is IKeptText {
  return (
    typeof entry?.path === 'string' &&
    typeof entry.text === 'string' &&
    typeof entry.version === 'string' &&
    typeof entry.at === 'number'
  );
}
