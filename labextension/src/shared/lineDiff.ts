/**
 * What differs between two texts, line by line. Pure.
 */
import { diffLines } from 'diff';

export interface IDiffLine {
  sign: ' ' | '+' | '-';
  text: string;
}

/** So long the finest difference is looked for; after it everything counts as replaced. */
const LONGEST_MS = 200;

/** All lines of both texts, in order: those that go before those that come. */
export function lineDiff(old: string, now: string): IDiffLine[] {
  const found = diffLines(old, now, { timeout: LONGEST_MS });
  const changes = found ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true }
  ];
  return changes.flatMap(({ added, removed, value }) => {
    const sign = added ? ('+' as const) : removed ? ('-' as const) : (' ' as const);
    return value
      .replace(/\n$/, '')
      .split('\n')
      .filter(() => value !== '')
      .map(text => ({ sign, text }));
  });
}

/** The lines of a difference that somebody else has written, by their first characters. */
export function patchLines(patch: string): IDiffLine[] {
  return patch.split('\n').map(text => {
    const isHead = text.startsWith('+++') || text.startsWith('---');
    const sign =
      !isHead && text.startsWith('+') ? '+' : !isHead && text.startsWith('-') ? '-' : ' ';
    return { sign, text: sign === ' ' ? text : text.slice(1) };
  });
}
