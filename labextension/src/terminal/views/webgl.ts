/**
 * Drawing with WebGL where the browser can: faster than elements, and exact box drawing.
 * If it cannot, or loses the context, xterm falls back to elements.
 */
import type { Terminal } from '@xterm/xterm';

/** Browsers keep about 16 contexts for a page, and take the oldest for a new one. */
const MOST = 8;
let used = 0;

/** `onChanged`: characters have another size than before. */
export async function drawWithWebgl(
  xterm: Terminal,
  isGone: () => boolean,
  onChanged: () => void
): Promise<void> {
  if (used >= MOST || !document.createElement('canvas').getContext('webgl2')) {
    return;
  }
  const { WebglAddon } = await import('@xterm/addon-webgl');
  if (isGone()) {
    return;
  }
  const addon = new WebglAddon();
  try {
    xterm.loadAddon(addon);
  } catch {
    addon.dispose();
    return;
  }
  used += 1;
  const dispose = addon.dispose.bind(addon);
  let isDisposed = false;
  addon.dispose = () => {
    if (!isDisposed) {
      isDisposed = true;
      used -= 1;
      dispose();
    }
  };
  addon.onContextLoss(() => {
    addon.dispose();
    onChanged();
  });
  onChanged();
}
