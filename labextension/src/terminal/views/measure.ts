/**
 * How large a terminal in the panel will be, before there is one: a CLI that opens draws itself for
 * this size, so its columns must be the ones that xterm will have. Rows follow when it is there.
 */
import type { Size } from '../../api/types';

/** In pixels: instruction, state line, tabs and strip above the screen. */
const ABOVE = 138;
/** In pixels: what the screen keeps free at its left and its top. */
const PADDING = 8;

/** In characters. `above`: pixels over the screen that are not its own. */
export function guessSize(body: HTMLElement, fontSize: number, above = ABOVE): Size {
  const { width, height } = cellOf(body, fontSize);
  const room = body.clientWidth - PADDING - scrollBarOf(body);
  const fits = (pixels: number, unit: number, least: number) =>
    unit > 0 ? Math.max(least, Math.floor(pixels / unit)) : least;
  return {
    cols: fits(room, width, 20),
    rows: fits(body.clientHeight - above - PADDING, height, 8)
  };
}

/** A character's place as xterm 5.5 draws it: with WebGL whole pixels of the device, else what the font takes. */
function cellOf(body: HTMLElement, fontSize: number): { width: number; height: number } {
  const sample = document.createElement('span');
  sample.textContent = 'W'.repeat(32);
  sample.style.cssText = `position:absolute;visibility:hidden;white-space:pre;line-height:normal;font-kerning:none;font:${fontSize}px var(--jp-code-font-family)`;
  body.append(sample);
  const { offsetHeight, offsetWidth } = sample;
  sample.remove();
  const [width, height] = [offsetWidth / 32, offsetHeight];
  const ratio = window.devicePixelRatio;
  return hasWebgl()
    ? { width: Math.floor(width * ratio) / ratio, height: Math.ceil(height * ratio) / ratio }
    : { width, height };
}

/** Beside the lines, as wide as the theme makes it. */
function scrollBarOf(body: HTMLElement): number {
  const probe = document.createElement('div');
  probe.className = 'xterm-viewport';
  probe.style.cssText = 'position:absolute;visibility:hidden;width:100px;overflow-y:scroll';
  body.append(probe);
  const width = probe.offsetWidth - probe.clientWidth;
  probe.remove();
  return width || 15; // xterm's own guess where the bar lies over the text
}

let webgl: boolean | null = null;

function hasWebgl(): boolean {
  webgl ??= !!document.createElement('canvas').getContext('webgl2');
  return webgl;
}
