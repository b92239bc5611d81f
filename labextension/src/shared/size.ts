/**
 * Sizes as people read them. Pure.
 */

/** "30 B", "12 kB", "3.4 MB". */
export function size(bytes: number): string {
  if (bytes < 1000) {
    return `${bytes} B`;
  }
  return bytes < 1 << 20
    ? `${Math.max(1, Math.round(bytes / 1024))} kB`
    : `${(bytes / (1 << 20)).toFixed(1)} MB`;
}
