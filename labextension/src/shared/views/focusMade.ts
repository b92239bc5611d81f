/**
 * Moves the focus to what a person has just made with a form: it may be drawn a moment after the form was closed.
 */

/** How long it is waited for, in milliseconds. */
const WAIT_MS = 5000;

/** `selector`: of the new element, which must be focusable. Once the person presses a key or a button, nothing happens. */
export function focusMade(selector: string): void {
  let wasFocused = false;
  const observer = new MutationObserver(() => {
    const made = document.querySelector<HTMLElement>(selector);
    const isFormOpen = document.querySelector('.jp-Cabinet-form-cover') !== null;
    const isLost = document.activeElement === document.body; // a list may draw it again in another place
    if (made && !isFormOpen && (!wasFocused || isLost)) {
      made.focus();
      wasFocused = document.activeElement === made;
    }
  });
  const stop = () => {
    clearTimeout(timeout);
    observer.disconnect();
    document.removeEventListener('keydown', stop, true);
    document.removeEventListener('pointerdown', stop, true);
  };
  const timeout = setTimeout(stop, WAIT_MS);
  document.addEventListener('keydown', stop, true);
  document.addEventListener('pointerdown', stop, true);
  observer.observe(document.body, { attributes: true, childList: true, subtree: true });
}
