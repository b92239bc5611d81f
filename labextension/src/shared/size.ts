/**
 * Sizes as people read them. Pure.
 */

/** "30 B", "12 kB", "3.4 MB", "2.0 GB". */
export function size(bytes: number): string {
  if (bytes < 1000) {
    return `${bytes} B`;
  }
  if (bytes < 1 << 20) {
    return `${Math.max(1, Math.round(bytes / 1024))} kB`;
  }
  return bytes < 1 << 30
    ? `${(bytes / (1 << 20)).toFixed(1)} MB`
    : `${(bytes / (1 << 30)).toFixed(1)} GB`;
}
