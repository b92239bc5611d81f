/**
 * What the sidebar is asked to do by commands: take the focus.
 */
import { Store } from '../../shared/store';

export class SidebarState extends Store {
  focusCount = 0;

  focusComposer(): void {
    this.focusCount += 1;
    this.tell();
  }
}
