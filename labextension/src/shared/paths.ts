/**
 * Paths of the server's root folder: as the server calls them, and after one of them or a folder above it was moved.
 */
import type { Contents } from '@jupyterlab/services';

/** The server's own folder: JupyterLab's default drive, and that of real-time collaboration. */
const OUR_DRIVES: ReadonlySet<string> = new Set(['', 'RTC']);

/** Relative to the server's root folder; null for what lies on another drive. */
export function serverPath(contents: Contents.IManager, path: string): string | null {
  return OUR_DRIVES.has(contents.driveName(path)) ? contents.localPath(path) : null;
}

/** Where a file is now, after `old` has become `next`. */
export function movedPath(path: string, old: string, next: string): string {
  if (path === old) {
    return next;
  }
  return path.startsWith(`${old}/`) ? next + path.slice(old.length) : path;
}

/** The same map under the paths as they are now. */
export function movedKeys<T>(map: Map<string, T>, old: string, next: string): Map<string, T> {
  return new Map([...map].map(([path, value]) => [movedPath(path, old, next), value]));
}
