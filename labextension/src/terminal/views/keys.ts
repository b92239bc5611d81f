/**
 * Keys in a terminal that do not go to the program: copying, pasting, leaving by Esc Esc.
 * As in JupyterLab's own terminal: who knows one knows both.
 */
import type { Terminal } from '@xterm/xterm';

/** The second Esc counts within so many milliseconds. */
const ESCAPE_MS = 350;

/** False: xterm leaves the key to the browser and to JupyterLab. */
export function goesToProgram(event: KeyboardEvent, xterm: Terminal, isMac: boolean): boolean {
  if (event.type !== 'keydown' || isMac || !event.ctrlKey || event.shiftKey || event.altKey) {
    return true;
  }
  if (event.key === 'c' && xterm.hasSelection()) {
    setTimeout(() => xterm.clearSelection()); // after the browser has copied: the next one interrupts
    return false;
  }
  return event.key !== 'v';
}

/**
 * A terminal is entered by a click, by Enter on its frame, or by its shortcut, never by walking with Tab. Esc Esc
 * leaves it: `onLeave` says for where, else for its frame, the scrolling region. Screen readers read `frameLabel` there.
 */
export function leaveByEscape(
  host: HTMLElement,
  xterm: Terminal,
  frameLabel: string,
  onLeave?: () => void
): () => void {
  let last = -Infinity;
  const frame = host.querySelector<HTMLElement>('.xterm-viewport');
  xterm.textarea!.tabIndex = -1;
  frame?.setAttribute('tabindex', '0');
  frame?.setAttribute('role', 'group');
  frame?.setAttribute('aria-label', frameLabel);
  const onKeyDown = (event: KeyboardEvent) => {
    const { textarea } = xterm;
    const inText = document.activeElement === textarea;
    if (event.key === 'Enter' && frame && document.activeElement === frame) {
      take(event);
      textarea!.focus();
    } else if (event.key !== 'Escape' || !inText) {
      last = -Infinity;
    } else if (event.timeStamp - last > ESCAPE_MS) {
      last = event.timeStamp;
    } else {
      take(event);
      last = -Infinity;
      (onLeave ?? (() => frame?.focus()))();
    }
  };
  host.addEventListener('keydown', onKeyDown, true);
  return () => host.removeEventListener('keydown', onKeyDown, true);
}

function take(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
