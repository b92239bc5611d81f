/**
 * The order in which people expect names. Pure.
 */

/** As the server sorts: “agent 2” comes before “Agent 10”. */
export function naturally(a: string, b: string): number {
  return a.localeCompare(b, undefined, { numeric: true, sensitivity: 'base' });
}
