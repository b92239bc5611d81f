/**
 * What is said about the changes that a document shows. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { visible } from '../../shared/untrusted';
import type { IShownChanges } from './shownChanges';

/** "3 changes by Demo agent". */
export function changesWords({ places, run }: IShownChanges, trans: TranslationBundle): string {
  const who = visible(run.agent ?? run.runtime_title);
  return trans._n('%1 change by %2', '%1 changes by %2', places.length, who);
}

/** "2 of 3"; empty before a person has gone to one of them. */
export function countWords({ current, places }: IShownChanges, trans: TranslationBundle): string {
  return current ? trans.__('%1 of %2', places.indexOf(current) + 1, places.length) : '';
}

/** For a screen reader: "Change 2 of 3, line 14", "Change 3 of 3, deleted cell". */
export function goneToWords({ current, places }: IShownChanges, trans: TranslationBundle): string {
  if (!current) {
    return '';
  }
  const change = trans.__('Change %1 of %2', places.indexOf(current) + 1, places.length);
  if (current.isDeleted) {
    return trans.__('%1, deleted cell', change);
  }
  return current.cell ? change : trans.__('%1, line %2', change, current.first);
}

/** After *Undo this run*, or after the file was reverted in the review. */
export function undoneWords(trans: TranslationBundle): string {
  return trans.__('The changes of the last run were undone.');
}
