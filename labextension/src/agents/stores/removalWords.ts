/**
 * What happens to an agent that is removed, and to what belongs to it, in sentences. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { visible } from '../../shared/untrusted';
import type { IAffected } from './agentActions';
import type { IPutAway } from './agents';

/** Plays that are named; of more their number is said. */
const MOST_NAMED = 5;

/** What a person reads before they delete it. */
export function deleteWords(affected: IAffected, trans: TranslationBundle): string[] {
  return [
    trans.__(
      'Its folder moves to the trash (.agents/.trash/) with its memory, its history, %1 and %2. Nothing is erased, and you can restore the agent.',
      trans._n('%1 open task', '%1 open tasks', affected.openTasks),
      trans._n('%1 unread message', '%1 unread messages', affected.unread)
    ),
    playWords(affected.plays, trans),
    trans.__('Messages and tasks that it sent to other agents are kept.')
  ].filter(sentence => sentence);
}

function playWords(plays: readonly string[], trans: TranslationBundle): string {
  if (!plays.length) {
    return trans.__('No plays depend on it.');
  }
  const named = plays.slice(0, MOST_NAMED).map(visible).join(', ');
  const rest = plays.length - MOST_NAMED;
  const all = rest > 0 ? trans._n('%2 and %1 other', '%2 and %1 others', rest, named) : named;
  return trans._n(
    '%1 play uses it: %2. The play is kept, but does not run without the agent.',
    '%1 plays use it: %2. The plays are kept, but do not run without the agent.',
    plays.length,
    all
  );
}

/** "Archived" or "Deleted". */
export function putAwayWord({ isDeleted }: IPutAway, trans: TranslationBundle): string {
  return isDeleted ? trans.__('Deleted') : trans.__('Archived');
}
