/**
 * What is being written for each document and not sent yet: text and attached pieces.
 * Going to another document and back loses nothing. The texts survive a reload of the page, the pieces do not.
 */
import type { Attachment } from '../../api/types';
import type { ConnectionStore } from '../../shared/connection';
import { movedKeys } from '../../shared/paths';
import { Store } from '../../shared/store';
import { KeptDrafts, type DraftStorage } from './keptDrafts';

/** What is written for one document. */
export interface IDraft {
  text: string;
  attachments: Attachment[];
}

const EMPTY: IDraft = { text: '', attachments: [] };

/** Keys are paths of the server’s root folder; null is the panel without a document. */
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
    this._kept?.moved(old, next);
    this.tell();
  }

  /**
   * Keep the texts of whoever this page is logged in as, as soon as that is known, and show what they had written before.
   * `key` names the server.
   */
  keep(connection: ConnectionStore, storage: DraftStorage, key: string): void {
    connection.followUsername(username => {
      if (this._kept !== null) {
        this._drafts = new Map(); // they are somebody else's
      }
      this._restore(new KeptDrafts(storage, `${key}:${username}`));
    });
  }

  /** What was written before the person was known counts more than what was kept. */
  private _restore(kept: KeptDrafts): void {
    this._kept = kept;
    for (const [path, text] of kept.read()) {
      const draft = this.get(path);
      this._drafts.set(path, { ...draft, text: draft.text || text });
    }
    this._drafts.forEach(({ text }, path) => kept.write(path, text));
    this.tell();
  }

  private _put(path: string | null, draft: IDraft): void {
    const { text } = this.get(path);
    this._drafts.set(path ?? '', draft);
    if (draft.text !== text) {
      this._kept?.write(path ?? '', draft.text);
    }
    this.tell();
  }

  private _kept: KeptDrafts | null = null;
  private _drafts = new Map<string, IDraft>();
}
