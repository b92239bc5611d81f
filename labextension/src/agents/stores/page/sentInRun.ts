/**
 * The run in which an agent has sent a message, from the message's origin: the key of a directive. Pure.
 */
const DIRECTIVE = /^([0-9a-z]{26})\/\S+$/;

/** Null for a message of a person, and of unknown origin. */
export function runIdIn(origin: string): string | null {
  return DIRECTIVE.exec(origin)?.[1] ?? null;
}
