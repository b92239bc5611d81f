/**
 * Values that are made when somebody first asks for them, so that a page loads what it needs and no more.
 */

/** Gives the same value at each call. Rejects where its code could not be loaded; the next call tries again. */
export type Lazy<T> = () => Promise<T>;

/** `make` is called at most once, unless it fails. */
export function lazily<T>(make: () => Promise<T>): Lazy<T> {
  let made: Promise<T> | null = null;
  return () =>
    (made ??= make().catch(reason => {
      made = null;
      throw reason;
    }));
}

const AGAIN_MS = 2000;

/** Calls `make` until its code could be loaded. It cannot be while the server is unreachable. */
export async function onceLoaded<T>(make: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await make();
    } catch (reason) {
      if ((reason as Error).name !== 'ChunkLoadError') {
        throw reason;
      }
      await new Promise(resolve => setTimeout(resolve, AGAIN_MS));
    }
  }
}
