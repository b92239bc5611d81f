/**
 * Sizes as people read them. Pure.
 */

/** "12 kB", "3.4 MB". */
export function size(bytes: number): string {
  return bytes < 1 << 20
    ? `${Math.max(1, Math.round(bytes / 1024))} kB`
    : `${(bytes / (1 << 20)).toFixed(1)} MB`;
}
