/**
 * What one output holds now. The kernel writes it again and again while a run works; what is shown stays.
 */
import { Store } from '../../shared/store';
import { keyOf, type View, viewOf } from './view';

/** What was saved with it, for who cannot see the thing itself. */
export interface ISaved {
  markdown: string;
  plain: string;
}

/** `changed` only where something else has to be drawn. */
export class ShownOutput extends Store {
  view: View | null = null;
  saved: ISaved = { markdown: '', plain: '' };
  trusted = false;

  set(data: unknown, saved: ISaved, trusted: boolean): void {
    const before = JSON.stringify([this.view && keyOf(this.view), this.saved, this.trusted]);
    this.view = viewOf(data);
    this.saved = saved;
    this.trusted = trusted;
    if (before !== JSON.stringify([this.view && keyOf(this.view), this.saved, this.trusted])) {
      this.tell();
    }
  }
}
