/**
 * Which views of saved outputs may act: have buttons, connect to a terminal. A notebook of somebody else must not
 * bring a button before the eyes of a person that does something on this server.
 */
import type { RunStore } from '../../runs';
import { Store } from '../../shared/store';
import { keyOf, type View } from './view';

/** What was once allowed on this page stays so: an agent that edits the notebook takes the cells' trust away. */
export class ConsentStore extends Store {
  constructor(private readonly _runs: Pick<RunStore, 'beganHere'>) {
    super();
  }

  /**
   * `trusted`: the cell is, in JupyterLab's sense. A run that was asked for while this page was open is known to
   * no foreign notebook.
   */
  mayAct(view: View, trusted: boolean): boolean {
    const key = keyOf(view);
    if (trusted) {
      this._allowed.add(key);
    }
    return this._allowed.has(key) || (view.view === 'run' && this._runs.beganHere(view.run_id));
  }

  /** A person wants to have it here. */
  allow(view: View): void {
    this._allowed.add(keyOf(view));
    this.tell();
  }

  private readonly _allowed = new Set<string>();
}
