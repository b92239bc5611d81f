/**
 * Which questions a person has on the screen right now, wherever that is: for those no notification is needed.
 * Fed by the panels that show them.
 */
import { Store } from '../../shared/store';

/** Counts the places where each question is shown: it is on the screen until the last one is gone. */
export class ShownApprovals extends Store {
  /** Whether this question is on the screen; the panel of all questions shows every one. */
  has(id: string): boolean {
    return this._shown.has(ALL) || this._shown.has(id);
  }

  set(id: string | null, isShown: boolean): void {
    const key = id ?? ALL;
    const count = (this._shown.get(key) ?? 0) + (isShown ? 1 : -1);
    if (count > 0) {
      this._shown.set(key, count);
    } else {
      this._shown.delete(key);
    }
    this.tell();
  }

  private readonly _shown = new Map<string, number>();
}

const ALL = '';
