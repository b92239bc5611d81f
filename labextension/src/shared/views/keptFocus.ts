/**
 * Keeps the focus in the tab when what had it is gone: a button that another state does not have, a step that was removed.
 */
import * as React from 'react';

/** Where the focus goes if what had it is gone. */
export interface IFocusTargets {
  /**
   * The closest first, if what had it was in one of these parts, and they are still there. `target`: what there has the
   * focus then, which may be new. Empty, or not found: the part itself.
   */
  parts: readonly [part: string, target: string][];
  /** An attribute. If a part is drawn again in another place, it is found by the same value. */
  key?: string;
  /** Otherwise the first of these that is seen. */
  places: readonly string[];
}

/** `root`: the content of the tab. `given`: a constant. */
export function useKeptFocus(root: React.RefObject<HTMLElement>, given: IFocusTargets): void {
  React.useEffect(() => {
    const content = root.current;
    if (!content) {
      return; // nothing is shown that could lose the focus
    }
    let last: HTMLElement | null = null;
    let parts: { part: HTMLElement; target: string }[] = [];
    const onFocusIn = ({ target }: FocusEvent) => {
      last = target as HTMLElement;
      parts = given.parts.flatMap(([selector, within]) => {
        const part = last!.closest<HTMLElement>(selector);
        return part ? [{ part, target: within }] : [];
      });
    };
    const onFocusOut = ({ target }: FocusEvent) =>
      queueMicrotask(() => {
        if (target === last && last?.isConnected && document.activeElement !== last) {
          last = null; // a person has left it
        }
      });
    const observer = new MutationObserver(() => {
      if (last !== null && !last.isConnected && document.activeElement === document.body) {
        const targets = parts.map(({ part: drawn, target }) => {
          const part = drawnAgain(drawn, content, given.key) ?? drawn;
          return (target && part.querySelector<HTMLElement>(target)) || part;
        });
        const others = given.places.map(place => content.querySelector<HTMLElement>(place));
        const next = [...targets, ...others].find(each => each?.isConnected && isSeen(each));
        (next ?? content).focus();
      }
    });
    content.addEventListener('focusin', onFocusIn);
    content.addEventListener('focusout', onFocusOut);
    observer.observe(content, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      content.removeEventListener('focusin', onFocusIn);
      content.removeEventListener('focusout', onFocusOut);
    };
  }, [root, given]);
}

function drawnAgain(part: HTMLElement, content: HTMLElement, key = ''): HTMLElement | null {
  const value = key ? part.getAttribute(key) : null;
  return part.isConnected || value === null
    ? null
    : content.querySelector<HTMLElement>(`[${key}="${CSS.escape(value)}"]`);
}

function isSeen(element: HTMLElement): boolean {
  return element.checkVisibility();
}
