/**
 * Room for notifications: JupyterLab stacks them in the lower right corner, its own too, where our composer has *Run*.
 * They appear beside our open sidebar; if the window is too narrow for that, the sidebar ends above them.
 */
import type { JupyterFrontEnd, LabShell } from '@jupyterlab/application';

/** JupyterLab's root of all notifications, made with the first one, and the stack in it. */
const ROOT = 'react-toastify-container';
const STACK = '.Toastify__toast-container';
/** What has controls at its foot. */
const PANELS = '.jp-Cabinet-sidebar, .jp-Cabinet-player, .jp-Cabinet-recordings';
const INSET = '--jp-cabinet-notification-inset';
/** In pixels: the tabs beside a sidebar, and air on both sides of a notification. */
const TABS = 64;
const AIR = 32;

/** Watches for as long as the page lives. */
export function keepNotificationsClear({ shell }: JupyterFrontEnd): void {
  let frame = 0;
  const later = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => place(sizes));
  };
  const sizes = new ResizeObserver(later);
  (shell as LabShell).layoutModified?.connect(later);
  window.addEventListener('resize', later);
  const watchStack = new MutationObserver(later);
  const watchBody = new MutationObserver(() => {
    const root = document.getElementById(ROOT);
    if (root) {
      watchBody.disconnect();
      watchStack.observe(root, { childList: true, subtree: true });
      later();
    }
  });
  watchBody.observe(document.body, { childList: true });
  later();
}

function place(sizes: ResizeObserver): void {
  const stack = document.querySelector<HTMLElement>(STACK);
  const panels = [...document.querySelectorAll<HTMLElement>(PANELS)];
  const shown = panels.filter(panel => panel.getClientRects().length);
  [stack, ...panels].forEach(element => element && sizes.observe(element));
  document.body.style.setProperty(INSET, `${insetOf(shown, stack?.offsetWidth ?? 0)}px`);
  const box = stack?.childElementCount ? stack.getBoundingClientRect() : null;
  for (const panel of shown) {
    const { bottom, left, right } = panel.getBoundingClientRect();
    const isUnder = box !== null && box.left < right && box.right > left;
    const room = isUnder ? Math.max(0, bottom - box.top) : 0;
    panel.style.paddingBottom = room ? `${room}px` : '';
  }
}

/** The distance from the window's right edge to the room beside our sidebar; 0 if there is none or no need. */
function insetOf(shown: HTMLElement[], width: number): number {
  const lefts = shown
    .filter(panel => panel.classList.contains('jp-Cabinet-sidebar'))
    .map(panel => panel.getBoundingClientRect())
    .filter(({ right }) => right > window.innerWidth - TABS)
    .map(({ left }) => left);
  const left = Math.min(window.innerWidth, ...lefts);
  return left >= width + AIR ? window.innerWidth - left : 0;
}
