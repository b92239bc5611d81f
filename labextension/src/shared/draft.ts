/**
 * What a person has written in a form, and what the server says of it. Nothing is lost where the server refuses.
 */
import { ApiError } from '../api/client';
import { Store } from './store';

type Wrong<T> = Readonly<Partial<Record<keyof T, string>>>;

export class DraftStore<T extends object> extends Store {
  /** `fields`: the server's names of the fields that have other names here, or are below another one. */
  constructor(
    public draft: Readonly<T>,
    private readonly _fields: Readonly<Record<string, keyof T>> = {}
  ) {
    super();
  }

  isBusy = false;
  /** What the server has refused and no field can be named for. */
  refusal: string | null = null;
  /** What it says of single fields. */
  wrong = {} as Wrong<T>;

  write(change: Partial<T>): void {
    const wrong = { ...this.wrong };
    (Object.keys(change) as (keyof T)[]).forEach(field => delete wrong[field]);
    this.draft = { ...this.draft, ...change };
    this.wrong = wrong;
    this.refusal = null;
    this.tell();
  }

  /** False if it was refused: the reason is at its field, or in `refusal`. */
  async send(ask: (draft: Readonly<T>) => Promise<unknown>): Promise<boolean> {
    if (this.isBusy) {
      return false;
    }
    Object.assign(this, { isBusy: true, refusal: null, wrong: {} });
    this.tell();
    try {
      await ask(this.draft);
      return true;
    } catch (reason) {
      this._take(reason as Error);
      return false;
    } finally {
      this.isBusy = false;
      this.tell();
    }
  }

  private _take(reason: Error): void {
    const name = reason instanceof ApiError ? String(reason.detail.field) : '';
    const field = this._fields[name] ?? (name in this.draft ? (name as keyof T) : null);
    this.wrong = (field === null ? {} : { [field]: reason.message }) as Wrong<T>;
    this.refusal = field === null ? reason.message : null;
  }
}
