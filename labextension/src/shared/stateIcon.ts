/**
 * The icons that stand for the state of a run or an approval.
 */

/** `ring` moves while work is in progress. */
export type StateIcon =
  'clock' | 'ring' | 'question' | 'success' | 'error' | 'square' | 'warning' | 'skip';
