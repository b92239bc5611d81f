/** Paths of the server's folder after one of them, or a folder above it, was renamed or moved. */

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
