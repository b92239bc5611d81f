/**
 * Selects a line of a text area and scrolls to it, also where long lines are wrapped.
 */
import { placeOfLine } from '../stores/page/memorySearch';

/** `line`: counted from 1. */
export interface ILinePlace {
  line: number;
}

/** The part of the area above the line. */
const ABOVE = 1 / 3;

export function showLine(area: HTMLTextAreaElement, line: number): void {
  const [start, end] = placeOfLine(area.value, line);
  area.focus({ preventScroll: true });
  area.setSelectionRange(start, end);
  const top = heightOf(area, area.value.slice(0, start));
  area.scrollTop = Math.max(0, top - area.clientHeight * ABOVE);
}

/** How high a text is when it is wrapped as in this area: browsers do not say where a character is. */
function heightOf(area: HTMLTextAreaElement, text: string): number {
  const copy = area.cloneNode() as HTMLTextAreaElement;
  copy.value = text;
  copy.setAttribute('aria-hidden', 'true');
  Object.assign(copy.style, {
    position: 'absolute',
    visibility: 'hidden',
    boxSizing: 'border-box',
    width: `${area.offsetWidth}px`,
    minHeight: '0',
    height: '0',
    overflowY: 'scroll'
  });
  area.after(copy);
  const height = copy.scrollHeight;
  copy.remove();
  return height;
}
