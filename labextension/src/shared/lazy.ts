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
