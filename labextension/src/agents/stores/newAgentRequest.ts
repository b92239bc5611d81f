/**
 * That somebody wants to make an agent: a command or a button asks, the tab shows the dialog.
 */
import { Store } from '../../shared/store';

export class NewAgentRequest extends Store {
  /** The template to begin with, empty for none in particular; null while nobody asks. */
  template: string | null = null;

  ask(template: string | null): void {
    this.template = template;
    this.tell();
  }
}
