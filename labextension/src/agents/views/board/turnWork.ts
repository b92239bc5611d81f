/**
 * Pauses and resumes all work, for a button and for a command.
 */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { RunStore, WorkSwitchStore } from '../../../runs';
import { dismissAfterChanges } from '../dismissing';

const OFFER_MS = 10_000;

/** Without asking: active runs continue, and a notification offers to end them too. */
export async function turnWork(
  parts: { runs: RunStore; trans: TranslationBundle; workSwitch: WorkSwitchStore },
  paused: boolean
): Promise<void> {
  const { runs, trans, workSwitch } = parts;
  const done = await workSwitch.turn(paused);
  const count = runs.working.length;
  if (done && paused && count) {
    const id = Notification.info(trans.__('No new runs will start. Active runs continue.'), {
      autoClose: OFFER_MS,
      actions: [
        {
          label: trans._n('Also stop %1 run', 'Also stop %1 runs', count),
          callback: () => void workSwitch.turn(true, true)
        }
      ]
    });
    dismissAfterChanges(id, [runs, workSwitch], () => !runs.working.length || !workSwitch.paused);
  }
}
