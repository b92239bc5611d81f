/**
 * A text of an agent that a person edits while others may: its agent, another person, a program on the disk. What was
 * read carries an `etag`, and is saved under it only; where the text is another by now, both are kept until the person
 * has chosen.
 */
import { ApiError } from '../../api/client';
import { Store } from '../../shared/store';

/** `etag`: empty where nothing was written yet. */
export interface IVersion {
  text: string;
  etag: string;
}

/** How the text is read and written; `write` rejects with a 409 where the text has another etag by now. */
export interface ITextPlace {
  read: () => Promise<IVersion>;
  write: (text: string, etag: string) => Promise<{ etag: string }>;
}

const CONFLICT = 409;

export class EditedText extends Store {
  constructor(private readonly _place: ITextPlace) {
    super();
  }

  /** What the person has before their eyes; null until it was read. */
  draft: string | null = null;
  /** What is on the server, where it is neither what the draft began with nor the draft. */
  theirs: IVersion | null = null;
  problem: string | null = null;
  isBusy = false;

  get isDirty(): boolean {
    return this._base !== null && this.draft !== this._base.text;
  }

  /** The text that the draft began with; null until it was read. */
  get saved(): string | null {
    return this._base?.text ?? null;
  }

  /** Of the version that the draft began with. */
  get etag(): string | null {
    return this._base?.etag ?? null;
  }

  edit(text: string): void {
    this.draft = text;
    this.tell();
  }

  /** Look at what is there now. A draft without changes becomes that; one with changes stays, and both are shown. */
  async look(): Promise<void> {
    const request = ++this._request;
    try {
      const found = await this._place.read();
      if (request === this._request && !this.isBusy) {
        this._meet(found);
        this.problem = null;
      }
    } catch (reason) {
      this.problem = reason instanceof ApiError ? reason.message : this.problem;
    }
    this.tell();
  }

  async save(): Promise<void> {
    if (this.isBusy || this.draft === null || !this._base || this.theirs) {
      return;
    }
    const text = this.draft;
    this.isBusy = true;
    this.problem = null;
    this._request += 1; // an answer to an earlier question knows nothing of this
    this.tell();
    try {
      const { etag } = await this._place.write(text, this._base.etag);
      this._base = { text, etag };
    } catch (reason) {
      await this._refused(reason as Error);
    }
    this.isBusy = false;
    this.tell();
  }

  /** Keep one's own text: the next save overwrites the other one, which was seen. */
  keepMine(): void {
    if (this.theirs) {
      this._base = this.theirs;
      this.theirs = null;
      this.tell();
    }
  }

  /** Give up one's own text. */
  takeTheirs(): void {
    if (this.theirs) {
      this._base = this.theirs;
      this.draft = this.theirs.text;
      this.theirs = null;
      this.tell();
    }
  }

  /** Give up what was changed since it was read. */
  revert(): void {
    this.draft = this._base?.text ?? null;
    this.problem = null; // it was about the text that is gone
    this.tell();
  }

  private async _refused(reason: Error): Promise<void> {
    if (!(reason instanceof ApiError) || reason.status !== CONFLICT) {
      this.problem = reason.message;
      return;
    }
    try {
      this._meet(await this._place.read());
    } catch (again) {
      this.problem = (again as Error).message;
    }
  }

  private _meet(found: IVersion): void {
    if (this._base?.etag === found.etag) {
      this.theirs = null;
    } else if (!this.isDirty || this.draft === found.text) {
      this._base = found;
      this.draft = found.text;
      this.theirs = null;
    } else {
      this.theirs = found;
    }
  }

  private _base: IVersion | null = null;
  private _request = 0;
}
