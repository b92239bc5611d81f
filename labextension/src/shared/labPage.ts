/**
 * What needs JupyterLab's main area or settings: in another application, as Notebook 7, its page is opened for it.
 */
import { type JupyterFrontEnd, LabShell } from '@jupyterlab/application';
import { URLExt } from '@jupyterlab/coreutils';

/** In an address of JupyterLab: the terminal to open, or `new`. */
export const LINK_PARAMETER = 'cabinet-terminal';

/** False in Notebook 7 and other applications. */
export function isLab({ shell }: JupyterFrontEnd): boolean {
  return shell instanceof LabShell;
}

/** With a parameter in its address that says what to show there. */
export function openLab(app: JupyterFrontEnd, parameter: string, value: string): void {
  const { baseUrl } = app.serviceManager.serverSettings;
  const address = new URL(URLExt.join(baseUrl, 'lab'), location.href);
  address.searchParams.set(parameter, value);
  window.open(address.href, '_blank', 'noopener');
}
