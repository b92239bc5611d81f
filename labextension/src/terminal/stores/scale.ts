/**
 * How a screen of another person's size is made to fit: a smaller font, down to what can still be read;
 * beyond that it scrolls. One's own screen keeps its font: a pane that changes changes columns and rows. Pure.
 */
import type { Size } from '../../api/types';

/** In pixels. */
export const SMALLEST_FONT = 10;
const STEP = 0.5;

/** The font for `wanted` characters in a pane that holds `pane` of them with the font `base`. */
export function fittingFont(base: number, pane: Size, wanted: Size): number {
  const share = Math.min(1, pane.cols / wanted.cols, pane.rows / wanted.rows);
  const font = Math.floor((base * share) / STEP) * STEP;
  return Math.max(Math.min(base, SMALLEST_FONT), font);
}

/** The next smaller font, where the first one turns out too large; null when it gets no smaller. */
export function smallerFont(font: number): number | null {
  return font - STEP >= SMALLEST_FONT ? font - STEP : null;
}

/** Two unknown sizes are the same. */
export function sameSize(one: Size | null, other: Size | null): boolean {
  return one?.cols === other?.cols && one?.rows === other?.rows;
}
