/**
 * Earlier versions of a text that a person edits: their list, one of them to compare with the saved text, and restoring
 * it, which is an ordinary save.
 */
import { ApiError } from '../../../api/client';
import type { FileVersion, FileVersionText } from '../../../api/types';
import { Store } from '../../../shared/store';
import type { EditedText } from '../editedText';

/** Where the versions are kept. Both reject as the client does. */
export interface IVersionPlace {
  list: () => Promise<{ items: FileVersion[] }>;
  read: (id: string) => Promise<FileVersionText>;
}

export class FileVersions extends Store {
  constructor(
    private readonly _place: IVersionPlace,
    private readonly _edited: EditedText
  ) {
    super();
  }

  /** Newest first; null until they were read. */
  items: FileVersion[] | null = null;
  /** The one that is compared with the saved text. */
  chosen: FileVersionText | null = null;
  problem: string | null = null;

  /** Whether this is the text that is saved. */
  isSaved({ etag }: FileVersion): boolean {
    return etag === this._edited.etag;
  }

  /** Whether nothing would be lost if the chosen version replaced the saved text. */
  get mayRestore(): boolean {
    const { isBusy, isDirty, theirs } = this._edited;
    return this.chosen !== null && !isBusy && !isDirty && theirs === null;
  }

  async load(): Promise<void> {
    const request = ++this._request;
    await this._asked(async () => {
      const { items } = await this._place.list();
      if (request === this._request) {
        this.items = items;
      }
    });
  }

  async choose(id: string): Promise<void> {
    const choice = ++this._choice;
    await this._asked(async () => {
      const version = await this._place.read(id);
      if (choice === this._choice) {
        this.chosen = version;
      }
    });
  }

  /** Show the list again. */
  close(): void {
    this._choice += 1;
    this.chosen = null;
    this.tell();
  }

  /** Save the chosen text. What the server refuses becomes a draft, and the editor says why. */
  async restore(): Promise<void> {
    const { chosen } = this;
    if (chosen === null || !this.mayRestore) {
      return;
    }
    this._edited.edit(chosen.text);
    await this._edited.save();
    this.close();
    await this.load();
  }

  private async _asked(ask: () => Promise<void>): Promise<void> {
    this.problem = null;
    try {
      await ask();
    } catch (reason) {
      this.problem = reason instanceof ApiError ? reason.message : null;
    }
    if (!this.isDisposed) {
      this.tell();
    }
  }

  private _request = 0;
  private _choice = 0;
}
