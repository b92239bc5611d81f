/**
 * The keys of a review. Pure.
 */
export type ReviewKey = 'next' | 'previous' | 'accept' | 'revert' | 'undo' | 'comment';

const LETTERS: Readonly<Record<string, ReviewKey>> = {
  a: 'accept',
  r: 'revert',
  u: 'undo',
  c: 'comment'
};

/** What a key means; null for one that is none of the review’s, or is typed into a field. */
export function reviewKey(event: {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  target: EventTarget | null;
}): ReviewKey | null {
  const typed = event.target instanceof HTMLElement && event.target.matches('textarea, input');
  if (typed || event.ctrlKey || event.altKey || event.metaKey) {
    return null;
  }
  if (event.key === 'F8') {
    return event.shiftKey ? 'previous' : 'next';
  }
  return event.shiftKey ? null : (LETTERS[event.key.toLowerCase()] ?? null);
}
