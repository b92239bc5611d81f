/**
 * What is being written for each document and not sent yet: text and attached pieces.
 * Kept while the page lives, so that going to another document and back loses nothing.
 */
import type { Attachment } from '../../api/types';
import { movedKeys } from '../../shared/paths';
import { Store } from '../../shared/store';

/** What is written for one document. */
export interface IDraft {
  text: string;
  attachments: Attachment[];
}

const EMPTY: IDraft = { text: '', attachments: [] };

/** Keys are paths of the server’s folder; null is the panel without a document. */
export class DraftStore extends Store {
  get(path: string | null): IDraft {
    return this._drafts.get(path ?? '') ?? EMPTY;
  }

  write(path: string | null, text: string): void {
    if (text !== this.get(path).text) {
      this._put(path, { ...this.get(path), text });
    }
  }

  /** One piece of each kind: a newer selection takes the place of the older. */
  attach(path: string | null, piece: Attachment): void {
    const others = this.get(path).attachments.filter(known => known.kind !== piece.kind);
    this._put(path, { ...this.get(path), attachments: [...others, piece] });
  }

  detach(path: string | null, kind: Attachment['kind']): void {
    const attachments = this.get(path).attachments.filter(known => known.kind !== kind);
    this._put(path, { ...this.get(path), attachments });
  }

  clear(path: string | null): void {
    this._put(path, EMPTY);
  }

  /** A document or a folder has another path. */
  moved(old: string, next: string): void {
    this._drafts = movedKeys(this._drafts, old, next);
    this.tell();
  }

  private _put(path: string | null, draft: IDraft): void {
    this._drafts.set(path ?? '', draft);
    this.tell();
  }

  private _drafts = new Map<string, IDraft>();
}
