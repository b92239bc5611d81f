/**
 * What the sidebar is asked to do by commands: take the focus, open the find bar.
 */
import { Store } from './store';

export class SidebarState extends Store {
  focusCount = 0;
  finding = false;

  focusComposer(): void {
    this.focusCount += 1;
    this.tell();
  }

  find(finding: boolean): void {
    this.finding = finding;
    this.tell();
  }
}
