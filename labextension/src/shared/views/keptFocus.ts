/**
 * Keeps the focus in the tab when what had it is gone: a button that another state does not have, a step that was removed.
 */
import * as React from 'react';

/** Where the focus goes if what had it is gone. */
export interface IFocusTargets {
  /** The closest first, if what had it was in one of these parts, and they are still there. Empty: the part itself. */
  parts: readonly [part: string, target: string][];
  /** Otherwise the first of these that is seen. */
  places: readonly string[];
}

/** `root`: the content of the tab. `given`: a constant. */
export function useKeptFocus(root: React.RefObject<HTMLElement>, given: IFocusTargets): void {
  React.useEffect(() => {
    const content = root.current!;
    let last: HTMLElement | null = null;
    let targets: HTMLElement[] = [];
    const onFocusIn = ({ target }: FocusEvent) => {
      last = target as HTMLElement;
      targets = given.parts.flatMap(([part, within]) => {
        const found = last!.closest<HTMLElement>(part);
        return found ? [(within && found.querySelector<HTMLElement>(within)) || found] : [];
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

function isSeen(element: HTMLElement): boolean {
  return element.checkVisibility();
}
