/**
 * What the sidebar is asked to do by commands: take the focus.
 */
import { Store } from '../../shared/store';

/** `focusCount` grows by one each time that the composer shall have the focus. */
export class ComposerFocus extends Store {
  focusCount = 0;

  focusComposer(): void {
    this.focusCount += 1;
    this.tell();
  }
}
