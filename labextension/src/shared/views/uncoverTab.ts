/**
 * Makes room for a tab that a person has opened or entered while sidebars cover the main area, as in a narrow window.
 */
import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import type { Widget } from '@lumino/widgets';

/** Notebook 7 has no such sidebars. */
type Sidebars = Partial<
  Pick<
    ILabShell,
    'activeChanged' | 'collapseLeft' | 'collapseRight' | 'layoutModified' | 'leftCollapsed'
  >
>;

/** In pixels: a narrower tab shows nothing. JupyterLab's splitters leave about this much. */
const LEAST_WIDTH = 100;

const isCovered = (tab: Widget) => tab.isVisible && tab.node.offsetWidth < LEAST_WIDTH;

/** Collapse the right sidebar, and the left one if that is not enough. */
export function uncoverTab(app: JupyterFrontEnd, tab: Widget): void {
  const shell: JupyterFrontEnd.IShell & Sidebars = app.shell;
  requestAnimationFrame(() => {
    if (!isCovered(tab)) {
      return;
    }
    shell.collapseRight?.();
    requestAnimationFrame(() => isCovered(tab) && shell.collapseLeft?.());
  });
}

/**
 * From now on, let `sidebar`, at the right, give way in a narrow window: to the tab that a person enters, and to a
 * sidebar that they open at the left.
 */
export function yieldToOthers(app: JupyterFrontEnd, sidebar: Widget): void {
  const shell: JupyterFrontEnd.IShell & Sidebars = app.shell;
  shell.activeChanged?.connect((_, { newValue }) => {
    if (newValue && sidebar.isVisible) {
      uncoverTab(app, newValue);
    }
  });
  let wasLeftOpen = !shell.leftCollapsed;
  shell.layoutModified?.connect(() => {
    const isLeftOpen = !shell.leftCollapsed;
    const tab = shell.currentWidget;
    if (isLeftOpen && !wasLeftOpen && sidebar.isVisible && tab && isCovered(tab)) {
      shell.collapseRight?.();
    }
    wasLeftOpen = isLeftOpen;
  });
}
