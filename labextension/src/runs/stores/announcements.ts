/**
 * What a screen reader says of a run: its changes of state, and nothing else. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Run } from '../../api/types';
import type { IAnnouncement } from '../../shared/announcer';
import { spokenDuration } from '../../shared/time';
import { deniedText, isDenied } from './labels';

/**
 * What to say of a run's step from `before` (undefined: new here) to `after`. `waiting`: how many of its session wait
 * behind the one that works there; 0 where none works.
 */
export function runAnnouncement(
  before: Run | undefined,
  after: Run,
  trans: TranslationBundle,
  waiting = 0
): IAnnouncement | null {
  if (before?.state === after.state) {
    return null;
  }
  const polite = (text: string) => ({ text, urgent: false });
  switch (after.state) {
    case 'queued':
      return polite(waiting ? trans.__('Queued. %1 waiting.', waiting) : trans.__('Queued.'));
    case 'running':
      return before?.state === 'waiting'
        ? null
        : polite(trans.__('%1 started.', after.runtime_title));
    case 'waiting':
      return {
        text: trans.__('%1 is waiting for you.', after.runtime_title),
        urgent: true
      };
    case 'succeeded':
      return polite(
        trans.__('Succeeded after %1.', spokenDuration(after.duration_seconds ?? 0, trans))
      );
    case 'failed':
    case 'timed_out':
      return {
        text: isDenied(after)
          ? deniedText(after.failure!.message, trans)
          : trans.__('Run failed: %1', after.failure?.message || after.reason),
        urgent: true
      };
    case 'cancelled':
      return polite(trans.__('Cancelled.'));
    case 'interrupted':
      return polite(trans.__('Interrupted.'));
    default:
      return null;
  }
}
