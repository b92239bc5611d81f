/**
 * Shows a run where it belongs: on the page of its agent, with its document, or else what it has written.
 */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { Commands } from '../../shared/commands';
import type { RunStore } from '../stores/runs';
import { showOutput } from './outputDialog';

/** In milliseconds. */
const READ_WITHIN = 8000;

export interface IRunOpener {
  commands: CommandRegistry;
  runs: RunStore;
  trans: TranslationBundle;
}

/** Says why where it cannot be shown, as when its document is gone. */
export async function openRun(runId: string, { commands, runs, trans }: IRunOpener): Promise<void> {
  try {
    const { agent, path, session_id: session } = await runs.find(runId);
    if (agent !== null && !path?.endsWith('.ipynb')) {
      await commands.execute(Commands.openAgent, { agent, run: runId });
    } else if (path !== null) {
      await commands.execute(Commands.showRun, { session, path });
    } else {
      await showOutput(runs, runId, trans);
    }
  } catch (reason) {
    const why = reason instanceof Error ? reason.message : String(reason);
    Notification.error(why, { autoClose: READ_WITHIN });
  }
}
