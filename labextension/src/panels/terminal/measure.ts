/**
 * How large a terminal in the panel will be, before there is one: a CLI that opens draws itself for
 * this size. A guess; the terminal tells its exact size when it is there.
 */
import type { Size } from '../../api/types';

/** In pixels: instruction, state line, tabs and strip above the screen. */
const ABOVE = 140;
/** In pixels: padding and scroll bar beside it. */
const BESIDE = 8 + 15;
/** xterm's rows with the fonts of common systems. */
const LINE_HEIGHT = 1.17;

export function guessSize(body: HTMLElement, fontSize: number, above = ABOVE): Size {
  const sample = document.createElement('span');
  sample.textContent = 'W'.repeat(100);
  sample.style.cssText = `position:absolute;visibility:hidden;white-space:pre;font:${fontSize}px var(--jp-code-font-family)`;
  body.append(sample);
  const width = sample.getBoundingClientRect().width / 100;
  sample.remove();
  const fits = (room: number, unit: number, least: number) =>
    unit > 0 ? Math.max(least, Math.floor(room / unit)) : least;
  return {
    cols: fits(body.clientWidth - BESIDE, width, 20),
    rows: fits(body.clientHeight - above, Math.ceil(fontSize * LINE_HEIGHT), 8)
  };
}
