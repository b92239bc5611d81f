/**
 * Makes room for a tab that a person has opened while sidebars cover the main area, as in a narrow window.
 */
import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import type { Widget } from '@lumino/widgets';

/** Notebook 7 has no such sidebars. */
type Sidebars = Partial<Pick<ILabShell, 'collapseLeft' | 'collapseRight'>>;

/** In pixels: a narrower tab shows nothing. JupyterLab's splitters leave about this much. */
const LEAST_WIDTH = 100;

/** Collapse the right sidebar, and the left one if that is not enough. */
export function uncoverTab(app: JupyterFrontEnd, tab: Widget): void {
  const shell: JupyterFrontEnd.IShell & Sidebars = app.shell;
  const isCovered = () => tab.isVisible && tab.node.offsetWidth < LEAST_WIDTH;
  requestAnimationFrame(() => {
    if (!isCovered()) {
      return;
    }
    shell.collapseRight?.();
    requestAnimationFrame(() => isCovered() && shell.collapseLeft?.());
  });
}
