/**
 * What a person changes and has not saved, by what it is of. It stays while they look at something else.
 */
import type { ISignal } from '@lumino/signaling';

import { Store } from '../../shared/store';

/** Something that a person changes. */
export interface IDraft {
  readonly isDirty: boolean;
  readonly changed: ISignal<unknown, unknown>;
  dispose(): void;
}

/** Words that a person is about to send. */
export class Words extends Store implements IDraft {
  /** `_offered`: the text before a person writes. It can be discarded without asking. */
  constructor(private readonly _offered = '') {
    super();
    this.text = _offered;
  }

  text: string;

  get isDirty(): boolean {
    return this.text.trim() !== '' && this.text !== this._offered;
  }

  write(text: string): void {
    this.text = text;
    this.tell();
  }

  /** What was sent is gone, but for what was written meanwhile. */
  sent(text: string): void {
    if (this.text === text) {
      this.write('');
    }
  }
}

/** `changed` fires for each draft. The drafts are disposed with it. */
export class Drafts extends Store {
  /** The draft of this name, created if it does not exist. */
  of<T extends IDraft>(name: string, make: () => T): T {
    const known = this._drafts.get(name) as T | undefined;
    if (known) {
      return known;
    }
    const made = make();
    this._drafts.set(name, made);
    made.changed.connect(this._onChange, this);
    return made;
  }

  /** The draft of this name, if it exists. */
  find(name: string): IDraft | undefined {
    return this._drafts.get(name);
  }

  /** The names of those that have something to be saved. */
  get unsaved(): string[] {
    return [...this._drafts].filter(([, { isDirty }]) => isDirty).map(([name]) => name);
  }

  /** Give one up, with what was not saved of it. */
  forget(name: string): void {
    const draft = this._drafts.get(name);
    if (draft) {
      this._drafts.delete(name);
      draft.changed.disconnect(this._onChange, this);
      draft.dispose();
      this.tell();
    }
  }

  override dispose(): void {
    [...this._drafts.keys()].forEach(name => this.forget(name));
    super.dispose();
  }

  private _onChange(): void {
    this.tell();
  }

  private readonly _drafts = new Map<string, IDraft>();
}
