/**
 * Keeps the focus in the tab when what had it is gone: a button that another state does not have, a step that was removed.
 */
import * as React from 'react';

/** Where the focus goes, the closest first, if what had it was in one of these parts and they are still there. */
const PARTS: readonly [part: string, target: string][] = [
  ['.jp-Cabinet-plan-step', '.jp-Cabinet-plan-step-main'],
  ['.jp-Cabinet-plan-step-page', ''],
  ['.jp-Cabinet-plan-page', '']
];

/** Where it goes otherwise, the first that is seen. */
const PLACES = [
  ".jp-Cabinet-plan-step-main[tabindex='0']",
  ".jp-Cabinet-plan-row[tabindex='0']",
  '.jp-Cabinet-plan-page'
];

/** `root`: the content of the tab. */
export function useKeptFocus(root: React.RefObject<HTMLElement>): void {
  React.useEffect(() => {
    const content = root.current!;
    let last: HTMLElement | null = null;
    let targets: HTMLElement[] = [];
    const onFocusIn = ({ target }: FocusEvent) => {
      last = target as HTMLElement;
      targets = PARTS.flatMap(([part, within]) => {
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
        const others = PLACES.map(place => content.querySelector<HTMLElement>(place));
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
  }, [root]);
}

function isSeen(element: HTMLElement): boolean {
  return element.checkVisibility();
}
