/**
 * Buttons that take an answer only after they have stood still for a moment: nobody allows by a click that was
 * meant for something else. Scrolling by hand does not count as moving.
 */
import * as React from 'react';

/** So long a row must have stood still before its answers take a click. */
export const STILL_MS = 500;

/** Whether answers take a click now. */
export interface IArmed {
  /** Whether an answer is taken now. */
  readonly armed: boolean;
  /** Asked at the click: false also where it has moved unnoticed. */
  check: () => boolean;
}

/**
 * Answers are dead for a moment after they appear or move, so that no click meant for something else
 * answers.
 */
export function useArmed(row: React.RefObject<HTMLElement>): IArmed {
  const [armed, arm] = React.useState(false);
  const place = React.useRef('');
  const timer = React.useRef<ReturnType<typeof setTimeout>>();
  const look = React.useCallback((): boolean => {
    const now = placeOf(row.current);
    const still = now !== '' && now === place.current;
    if (!still) {
      place.current = now;
      arm(false);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => arm(now !== ''), STILL_MS);
    }
    return still;
  }, [row]);
  React.useLayoutEffect(() => void look());
  React.useEffect(() => {
    const observer = new ResizeObserver(() => void look());
    for (let at = row.current; at && at !== document.body; at = at.parentElement) {
      observer.observe(at);
    }
    return () => {
      observer.disconnect();
      clearTimeout(timer.current);
    };
  }, [row, look]);
  return { armed, check: () => look() && armed };
}

/** Where it stands, as if nothing were scrolled; empty while it is not shown. */
function placeOf(element: HTMLElement | null): string {
  if (!element?.getClientRects().length) {
    return '';
  }
  let { left, top } = element.getBoundingClientRect();
  for (let at = element.parentElement; at; at = at.parentElement) {
    left += at.scrollLeft;
    top += at.scrollTop;
  }
  return [left, top, element.offsetWidth].map(Math.round).join(' ');
}
