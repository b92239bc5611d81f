/**
 * The terminal's colours, from JupyterLab's theme; ANSI colours are xterm's own, raised to contrast.
 */
import type { ITheme } from '@xterm/xterm';

/** From the CSS of JupyterLab’s theme as it is now. */
export function terminalTheme(host: HTMLElement): ITheme {
  const style = getComputedStyle(host);
  const color = (name: string, fallback: string) => style.getPropertyValue(name).trim() || fallback;
  return {
    background: color('--jp-layout-color0', '#ffffff'),
    foreground: color('--jp-ui-font-color0', '#000000'),
    cursor: color('--jp-ui-font-color1', '#616161'),
    cursorAccent: color('--jp-ui-inverse-font-color0', '#ffffff'),
    selectionBackground: color('--jp-layout-color3', '#bdbdbd'),
    selectionInactiveBackground: color('--jp-layout-color3', '#bdbdbd')
  };
}
