/**
 * What is said to those who listen instead of look: changes, never a stream, never a tick.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ServerFrame } from '../../api/terminal';
import type { Run } from '../../api/types';
import type { IUtterance } from '../../shared/announcer';
import { others, tellsControl, youControl, type ITerminalState } from './state';
import { agentName, nameOf, queuedWords, watchingLabel } from './labels';
import { visible } from '../../shared/untrusted';
import { isDenied, spokenDuration } from '../../runs/stores/labels';

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
        text: isDenied(after)
          ? trans.__('Denied: %1', after.failure!.message)
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

/** What to say after `frame` has made `after` out of `before`, the states of a terminal. */
export function terminalUtterance(
  frame: ServerFrame,
  before: ITerminalState,
  after: ITerminalState,
  trans: TranslationBundle
): IUtterance | null {
  const polite = (text: string) => ({ text, urgent: false });
  const agent = agentName(after, trans);
  switch (frame.type) {
    case 'agent_state':
      return agentUtterance(before, after, agent, trans);
    case 'agent_queued':
      return after.queued && !before.queued
        ? polite(queuedWords(after.queued, after, trans))
        : null;
    case 'control_taken':
    case 'control_granted':
      if (!tellsControl(after)) {
        return null;
      }
      return polite(
        youControl(after)
          ? trans.__('You control %1.', visible(after.name))
          : trans.__('%1 controls %2.', nameOf(frame.controller), visible(after.name))
      );
    case 'control_revoked':
    case 'control_expired':
      return polite(trans.__('Nobody controls %1.', visible(after.name)));
    case 'control_denied':
      return frame.to.username === after.you?.username
        ? polite(trans.__('Control was not given to you.'))
        : null;
    case 'control_requested':
      return youControl(after) ? polite(trans.__('%1 asks for control.', nameOf(frame.by))) : null;
    case 'viewers':
      return viewersUtterance(before, after, trans);
    case 'exited':
      return polite(
        trans.__('%1 has ended.', after.source === 'agent' ? agent : trans.__('The shell'))
      );
    default:
      return null;
  }
}

function agentUtterance(
  before: ITerminalState,
  after: ITerminalState,
  agent: string,
  trans: TranslationBundle
): IUtterance | null {
  const polite = (text: string) => ({ text, urgent: false });
  if (before.agentState === after.agentState) {
    return null;
  }
  switch (after.agentState) {
    case 'running':
      return polite(trans.__('%1 is working. Typing is locked.', agent));
    case 'waiting':
      if (after.agentReason) {
        return polite(asksWords(agent, visible(after.agentReason), trans));
      }
      return polite(
        youControl(after)
          ? trans.__('%1 has answered. You can type.', agent)
          : trans.__('%1 has answered.', agent)
      );
    case 'paused':
      return polite(trans.__('%1 is paused.', agent));
    case 'stopped':
      return polite(trans.__('%1 has ended.', agent));
    default:
      return null;
  }
}

/** Some agents say themselves that they ask. */
function asksWords(agent: string, reason: string, trans: TranslationBundle): string {
  return reason.startsWith(agent) ? reason : trans.__('%1 asks: %2', agent, reason);
}

/** Who came; that somebody left is seen, not said. */
function viewersUtterance(
  before: ITerminalState,
  after: ITerminalState,
  trans: TranslationBundle
): IUtterance | null {
  const known = new Set(before.viewers.map(person => person.username));
  const come = others(after).find(person => !known.has(person.username));
  return come
    ? {
        text: trans.__('%1 joined. %2.', nameOf(come), watchingLabel(after, trans)),
        urgent: false
      }
    : null;
}
