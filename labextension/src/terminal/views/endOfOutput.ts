/**
 * Keep the end of the output in sight, unless a person has scrolled away from it.
 *
 * A pane that grows makes the browser move the scroll position, which xterm 5.5 takes for a person’s scrolling: from
 * then on it would no longer follow the output.
 */
import type { Terminal } from '@xterm/xterm';

/** How long after a person’s input a change of the scroll position is theirs. */
const INPUT_MILLISECONDS = 500;

const INPUTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

export interface IEndOfOutput {
  /** Call it after the size has changed. */
  restore: () => void;
  /** Call it after something was scrolled into view. */
  leave: () => void;
}

/** Call it when the terminal has been opened in `host`. Its listeners end with the terminal’s elements. */
export function followEndOfOutput(xterm: Terminal, host: HTMLElement): IEndOfOutput {
  let follows = true;
  let inputAt = -INPUT_MILLISECONDS;
  const isAtEnd = () => {
    const { baseY, viewportY } = xterm.buffer.active;
    return viewportY >= baseY;
  };
  const restore = () => {
    if (follows && !isAtEnd()) {
      xterm.scrollToBottom();
    }
  };
  const viewport = host.querySelector('.xterm-viewport');
  for (const input of INPUTS) {
    xterm.element?.addEventListener(input, () => (inputAt = performance.now()), {
      capture: true,
      passive: true
    });
  }
  viewport?.addEventListener('pointermove', event => {
    inputAt = (event as PointerEvent).buttons ? performance.now() : inputAt; // the scroll bar
  });
  viewport?.addEventListener('scroll', () => {
    if (performance.now() - inputAt < INPUT_MILLISECONDS) {
      follows = isAtEnd();
    } else {
      restore();
    }
  });
  return { restore, leave: () => (follows = isAtEnd()) };
}
