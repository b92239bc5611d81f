/**
 * A list with one tab stop: arrows move, Home and End jump.
 */
import * as React from 'react';

export interface IArrows {
  /** The index of the item with the tab stop. */
  current: number;
  setCurrent: (index: number) => void;
  onKeyDown: (event: React.KeyboardEvent) => void;
}

/** `selector`: of the element of each item that receives the focus. */
export function useArrows(
  list: React.RefObject<HTMLElement>,
  selector: string,
  count: number
): IArrows {
  const [wanted, setCurrent] = React.useState(0);
  const current = Math.max(0, Math.min(wanted, count - 1));
  const onKeyDown = (event: React.KeyboardEvent) => {
    const items = [...list.current!.querySelectorAll<HTMLElement>(selector)];
    const at = items.indexOf(event.target as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (at >= 0 && next !== undefined && items[next]) {
      event.preventDefault();
      setCurrent(next);
      items[next].focus();
    }
  };
  return { current, setCurrent, onKeyDown };
}
