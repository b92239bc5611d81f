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

/** Esc Esc leaves the text for the scrolling region, from where Tab goes on; Enter goes back. */
export function leaveByEscape(host: HTMLElement, xterm: Terminal): () => void {
  let last = -Infinity;
  const onKeyDown = (event: KeyboardEvent) => {
    const { textarea } = xterm;
    const region = host.querySelector<HTMLElement>('.xterm-viewport');
    const inText = document.activeElement === textarea;
    if (event.key === 'Enter' && region && document.activeElement === region) {
      take(event);
      textarea!.tabIndex = 0;
      textarea!.focus();
    } else if (event.key !== 'Escape' || !inText) {
      last = -Infinity;
    } else if (event.timeStamp - last > ESCAPE_MS) {
      last = event.timeStamp;
    } else {
      take(event);
      last = -Infinity;
      textarea!.tabIndex = -1; // else Tab goes back into it
      region?.setAttribute('tabindex', '0');
      region?.focus();
    }
  };
  const onFocus = (event: FocusEvent) => {
    if (event.target === xterm.textarea) {
      xterm.textarea!.tabIndex = 0;
      host.querySelector('.xterm-viewport')?.removeAttribute('tabindex');
    }
  };
  host.addEventListener('keydown', onKeyDown, true);
  host.addEventListener('focusin', onFocus);
  return () => {
    host.removeEventListener('keydown', onKeyDown, true);
    host.removeEventListener('focusin', onFocus);
  };
}

function take(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
