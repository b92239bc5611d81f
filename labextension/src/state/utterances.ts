/**
 * What is said to those who listen instead of look: changes, never a stream, never a tick.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ServerFrame } from '../api/terminal';
import type { Run } from '../api/types';
import type { IUtterance } from './speech';
import { youControl, type ITerminalState } from './terminal';
import { spokenDuration } from './words';

/** What to say of a run's step from `before` (undefined: new here) to `after`. */
export function runUtterance(
  before: Run | undefined,
  after: Run,
  trans: TranslationBundle
): IUtterance | null {
  if (before?.state === after.state) {
    return null;
  }
  const polite = (text: string) => ({ text, urgent: false });
  switch (after.state) {
    case 'queued':
      return polite(trans.__('Queued.'));
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
        text: trans.__('Run failed: %1', after.failure?.message || after.reason),
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

/** What to say after `frame` has made `state` of a terminal. */
export function terminalUtterance(
  frame: ServerFrame,
  state: ITerminalState,
  trans: TranslationBundle
): IUtterance | null {
  const agent = state.agentTitle ?? trans.__('An agent');
  const polite = (text: string) => ({ text, urgent: false });
  switch (frame.type) {
    case 'agent_state':
      if (frame.state === 'running') {
        return polite(trans.__('%1 is working. Typing is locked.', agent));
      }
      return frame.state === 'waiting'
        ? polite(trans.__('%1 has answered. You can type.', agent))
        : null;
    case 'control_taken':
    case 'control_granted':
      return polite(
        youControl(state)
          ? trans.__('You control this terminal.')
          : trans.__('%1 controls this terminal.', frame.controller.display_name)
      );
    case 'control_requested':
      return youControl(state)
        ? polite(trans.__('%1 asks for control.', frame.by.display_name))
        : null;
    case 'exited':
      return polite(trans.__('%1 has ended.', agent));
    default:
      return null;
  }
}
