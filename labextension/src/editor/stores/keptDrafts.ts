/**
 * Keeps the texts of unsent instructions in the browser, so that they survive a reload of the page.
 */
import { movedKeys } from '../../shared/paths';

/** The newest are kept, up to so many and so long together. */
const MOST_DRAFTS = 30;
const MOST_CHARACTERS = 200_000;

/** What this module needs of `window.localStorage`, which may be full or forbidden. */
export type DraftStorage = Pick<Storage, 'getItem' | 'removeItem' | 'setItem'>;

/** The drafts of one person on one server. Other pages of this person write to the same place. */
export class KeptDrafts {
  /** `key`: names the server and the person. */
  constructor(
    private readonly _storage: DraftStorage,
    private readonly _key: string
  ) {}

  /** Texts by path; the empty path is the panel without a document. The newest is the last one. */
  read(): Map<string, string> {
    try {
      const saved: unknown = JSON.parse(this._storage.getItem(this._key) ?? '[]');
      return new Map(Array.isArray(saved) ? saved.filter(isDraft) : []);
    } catch {
      return new Map();
    }
  }

  /** An empty text is removed. */
  write(path: string, text: string): void {
    const drafts = this.read();
    drafts.delete(path);
    if (text) {
      drafts.set(path, text);
    }
    this._save(drafts);
  }

  moved(old: string, next: string): void {
    this._save(movedKeys(this.read(), old, next));
  }

  private _save(drafts: Map<string, string>): void {
    const kept: [string, string][] = [];
    let characters = 0;
    for (const [path, text] of [...drafts].reverse().slice(0, MOST_DRAFTS)) {
      characters += path.length + text.length;
      if (characters > MOST_CHARACTERS) {
        break;
      }
      kept.unshift([path, text]);
    }
    try {
      if (kept.length) {
        this._storage.setItem(this._key, JSON.stringify(kept));
      } else {
        this._storage.removeItem(this._key);
      }
    } catch {
      // The browser has no room, or keeps nothing: the draft is in this page alone.
    }
  }
}

function isDraft(entry: unknown): entry is [string, string] {
  return (
    Array.isArray(entry) && entry.length === 2 && entry.every(part => typeof part === 'string')
  );
}
