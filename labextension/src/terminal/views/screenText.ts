/**
 * The text of a terminal, from the emulator's own buffer.
 */
import type { Terminal } from '@xterm/xterm';

/** On the screen and above it, line by line: for tests and for copying all. */
export function screenText(xterm: Terminal): string {
  const buffer = xterm.buffer.active;
  const lines: string[] = [];
  for (let index = 0; index < buffer.length; index++) {
    const line = buffer.getLine(index);
    const text = line?.translateToString(true) ?? '';
    if (line?.isWrapped && lines.length) {
      lines[lines.length - 1] += text;
    } else {
      lines.push(text);
    }
  }
  return lines.join('\n').trimEnd();
}

/** The visible rows, each exactly as shown. */
export function visibleRows(xterm: Terminal): string {
  const { active } = xterm.buffer;
  const row = (index: number) => active.getLine(active.viewportY + index);
  return Array.from(
    { length: xterm.rows },
    (_, index) => row(index)?.translateToString(true) ?? ''
  ).join('\n');
}
