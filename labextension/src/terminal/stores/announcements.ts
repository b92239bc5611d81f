/**
 * What a screen reader says of a terminal: changes, never a stream, never a tick. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ServerFrame } from '../../api/terminal';
import type { IAnnouncement } from '../../shared/announcer';
import { others, tellsControl, youControl } from './rules';
import type { ITerminalState } from './state';
import { agentName, nameOf, queuedText, watchingLabel } from './labels';
import { visible } from '../../shared/untrusted';

/** What to say after `frame` has made `after` out of `before`, the states of a terminal. */
export function terminalAnnouncement(
  frame: ServerFrame,
  before: ITerminalState,
  after: ITerminalState,
  trans: TranslationBundle
): IAnnouncement | null {
  const polite = (text: string) => ({ text, urgent: false });
  const agent = agentName(after, trans);
  switch (frame.type) {
    case 'agent_state':
      return agentAnnouncement(before, after, agent, trans);
    case 'agent_queued':
      return after.queued && !before.queued ? polite(queuedText(after.queued, after, trans)) : null;
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
        ? polite(trans.__('Your request for control was denied.'))
        : null;
    case 'control_requested':
      return youControl(after) ? polite(trans.__('%1 asks for control.', nameOf(frame.by))) : null;
    case 'viewers':
      return viewersAnnouncement(before, after, trans);
    case 'recording':
      // For an agent it begins by itself, and another message announces the agent.
      return frame.on && !before.recording && after.source !== 'agent'
        ? polite(trans.__('%1 is being recorded.', visible(after.name)))
        : null;
    case 'exited':
      return polite(
        trans.__('%1 has ended.', after.source === 'agent' ? agent : trans.__('The shell'))
      );
    default:
      return null;
  }
}

function agentAnnouncement(
  before: ITerminalState,
  after: ITerminalState,
  agent: string,
  trans: TranslationBundle
): IAnnouncement | null {
  const polite = (text: string) => ({ text, urgent: false });
  if (before.agentState === after.agentState) {
    return null;
  }
  switch (after.agentState) {
    case 'running':
      return polite(trans.__('%1 is working. Typing is locked.', agent));
    case 'waiting':
      if (after.agentReason) {
        return polite(asksText(agent, visible(after.agentReason), trans));
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
function asksText(agent: string, reason: string, trans: TranslationBundle): string {
  return reason.startsWith(agent) ? reason : trans.__('%1 asks: %2', agent, reason);
}

/** Who came; that somebody left is seen, not said. */
function viewersAnnouncement(
  before: ITerminalState,
  after: ITerminalState,
  trans: TranslationBundle
): IAnnouncement | null {
  const known = new Set(before.viewers.map(person => person.username));
  const come = others(after).find(person => !known.has(person.username));
  return come
    ? {
        text: trans.__('%1 joined. %2.', nameOf(come), watchingLabel(after, trans)),
        urgent: false
      }
    : null;
}
