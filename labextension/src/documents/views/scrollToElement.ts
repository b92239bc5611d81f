/**
 * Scrolls a document to an element, and nothing around the document: the browser's own `scrollIntoView` also moves
 * JupyterLab's panels.
 */

/** `within`: the document’s view. What is visible already stays where it is. */
export function scrollToElement(element: HTMLElement, within: HTMLElement): void {
  const scroller = scrollerOf(element, within);
  if (scroller) {
    const window = scroller.getBoundingClientRect();
    const { bottom, height, top } = element.getBoundingClientRect();
    if (top < window.top || bottom > window.bottom) {
      const above = Math.max(0, (window.height - height) / 2); // what is higher than the window begins at its top
      scroller.scrollTop += top - window.top - above;
    }
  }
}

function scrollerOf(element: HTMLElement, within: HTMLElement): HTMLElement | null {
  for (let node = element.parentElement; node && within.contains(node); node = node.parentElement) {
    if (
      node.scrollHeight > node.clientHeight &&
      /auto|scroll/.test(getComputedStyle(node).overflowY)
    ) {
      return node;
    }
  }
  return null;
}
