/**
 * What xterm shows, in the form programs ask for it: cursor, colours, modes, settings.
 */
import type { Terminal } from '@xterm/xterm';

import type { IAnswers } from '../stores/queries';
import { terminalTheme } from './theme';

const ANSI = [
  '2e3436',
  'cc0000',
  '4e9a06',
  'c4a000',
  '3465a4',
  '75507b',
  '06989a',
  'd3d7cf',
  '555753',
  'ef2929',
  '8ae234',
  'fce94f',
  '729fcf',
  'ad7fa8',
  '34e2e2',
  'eeeeec'
];

const CURSOR_STYLES = { block: 2, underline: 4, bar: 6 } as const;

/** From the emulator’s state at the moment of the query. */
export function screenAnswers(xterm: Terminal, host: HTMLElement): IAnswers {
  return {
    cursor: () => {
      const { cursorX, cursorY } = xterm.buffer.active;
      return {
        row: cursorY + 1,
        column: Math.min(cursorX, xterm.cols - 1) + 1
      };
    },
    color: which => {
      const { foreground, background, cursor } = terminalTheme(host);
      const named = { foreground, background, cursor };
      return wire(typeof which === 'number' ? paletteColor(which) : named[which]);
    },
    mode: (mode, dec) => modeState(xterm, mode, dec),
    setting: name => {
      if (name === 'm') {
        return '0m';
      }
      if (name === 'r') {
        return `1;${xterm.rows}r`;
      }
      return name === ' q' ? `${CURSOR_STYLES[xterm.options.cursorStyle ?? 'block']} q` : null;
    }
  };
}

function modeState(xterm: Terminal, mode: number, dec: boolean): 0 | 1 | 2 {
  const { modes } = xterm;
  const mouse = modes.mouseTrackingMode;
  const known: Record<number, boolean> = dec
    ? {
        1: modes.applicationCursorKeysMode,
        6: modes.originMode,
        7: modes.wraparoundMode,
        9: mouse === 'x10',
        45: modes.reverseWraparoundMode,
        47: xterm.buffer.active.type === 'alternate',
        66: modes.applicationKeypadMode,
        1000: mouse === 'vt200',
        1002: mouse === 'drag',
        1003: mouse === 'any',
        1004: modes.sendFocusMode,
        1047: xterm.buffer.active.type === 'alternate',
        1049: xterm.buffer.active.type === 'alternate',
        2004: modes.bracketedPasteMode
      }
    : { 4: modes.insertMode, 20: xterm.options.convertEol ?? false };
  return mode in known ? (known[mode] ? 1 : 2) : 0;
}

/** xterm's default palette: 16 named, a cube of 216, 24 greys. */
function paletteColor(index: number): string | undefined {
  if (index < 16) {
    return `#${ANSI[index]}`;
  }
  if (index < 232) {
    const level = (value: number) => (value ? value * 40 + 55 : 0);
    const cube = index - 16;
    return hex([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level));
  }
  return index < 256 ? hex(Array(3).fill((index - 232) * 10 + 8) as number[]) : undefined;
}

function hex(parts: number[]): string {
  return `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`;
}

/** `#rgb`, `#rrggbb` or `rgb(…)` as `rgb:rrrr/gggg/bbbb`. */
export function wire(color: string | undefined): string | null {
  const parts = channels(color ?? '');
  return parts && `rgb:${parts.map(part => part.repeat(2)).join('/')}`;
}

function channels(color: string): string[] | null {
  const long = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})/i.exec(color);
  if (long) {
    return long.slice(1, 4);
  }
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(color);
  if (short) {
    return short.slice(1, 4).map(digit => digit.repeat(2));
  }
  const decimal = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(color);
  return decimal && decimal.slice(1, 4).map(part => Number(part).toString(16).padStart(2, '0'));
}
