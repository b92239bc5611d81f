/**
 * What a run’s state, cost, time and place in line are called, the same everywhere. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Run, RunState, WorkSwitch } from '../../api/types';
import type { StateIcon } from '../../shared/stateIcon';
import { clock, duration } from '../../shared/time';
import { visible } from '../../shared/untrusted';

/** One word or two, and the icon beside it. */
export function stateLabel(
  state: RunState,
  trans: TranslationBundle
): { label: string; icon: StateIcon } {
  switch (state) {
    case 'queued':
      return { label: trans.__('Queued'), icon: 'clock' };
    case 'starting':
      return { label: trans.__('Starting'), icon: 'ring' };
    case 'running':
      return { label: trans.__('Running'), icon: 'ring' };
    case 'waiting':
      return { label: trans.__('Waiting for you'), icon: 'question' };
    case 'succeeded':
      return { label: trans.__('Succeeded'), icon: 'success' };
    case 'failed':
      return { label: trans.__('Failed'), icon: 'error' };
    case 'timed_out':
      return { label: trans.__('Timed out'), icon: 'error' };
    case 'cancelled':
      return { label: trans.__('Cancelled'), icon: 'square' };
    case 'interrupted':
      return { label: trans.__('Interrupted'), icon: 'warning' };
    case 'skipped':
      return { label: trans.__('Skipped'), icon: 'skip' };
  }
}

/** Whether a run ended because a person or a rule did not allow what it needed. */
export function isDenied(run: Run): boolean {
  return run.state === 'failed' && run.failure?.kind === 'permission_denied';
}

/** "Denied: Use the other file."; a rule’s own sentence says already that it has denied it. */
export function deniedText(message: string, trans: TranslationBundle): string {
  return message.startsWith('Denied ') ? message : trans.__('Denied: %1', message);
}

/**
 * The same of a run, where more is known than its state. `username`: who reads it, because only the owner of a run
 * answers its questions; null if that is said elsewhere.
 */
export function runLabel(
  run: Run,
  trans: TranslationBundle,
  username: string | null = null
): { label: string; icon: StateIcon } {
  if (run.state === 'waiting' && username !== null && run.owner !== username) {
    const { trigger } = run;
    const name = trigger.username === run.owner ? trigger.display_name : run.owner;
    return { ...stateLabel(run.state, trans), label: trans.__('Waiting for %1', visible(name)) };
  }
  if (isDenied(run)) {
    return { label: trans.__('Denied'), icon: 'skip' };
  }
  if (run.state === 'starting' && run.reason) {
    return { label: trans.__('Waiting for a worker'), icon: 'clock' };
  }
  const { denied } = run;
  return run.state === 'succeeded' && denied
    ? {
        label: trans._n('Succeeded, %1 action denied', 'Succeeded, %1 actions denied', denied),
        icon: 'skip'
      }
    : stateLabel(run.state, trans);
}

const NOTHING_TO_REPORT = 'HEARTBEAT_OK';

/** An answer as people read it: that of a heartbeat which had nothing to do is a word for the server. */
export function shownAnswer(text: string, trans: TranslationBundle): string {
  return text.trim() === NOTHING_TO_REPORT ? trans.__('Nothing to report') : text;
}

/** "$0.14"; null when it is not known: it is left out then, never shown as zero. */
export function cost(usd: number | null): string | null {
  if (usd === null) {
    return null;
  }
  return usd > 0 && usd < 0.005 ? '< $0.01' : `$${usd.toFixed(2)}`;
}

/** Seconds a run has taken up to `now`, or took. */
export function elapsed(run: Run, now: Date): number | null {
  if (run.duration_seconds !== null || run.finished_at !== null) {
    return run.duration_seconds; // null: its server died, nobody knows
  }
  return run.started_at ? Math.max(0, (now.getTime() - Date.parse(run.started_at)) / 1000) : null;
}

/** "next in line", "second in line"; `position` counts from 1. */
export function queuePosition(position: number, trans: TranslationBundle): string {
  const words = [
    trans.__('next in line'),
    trans.__('second in line'),
    trans.__('third in line'),
    trans.__('fourth in line'),
    trans.__('fifth in line')
  ];
  return words[position - 1] ?? trans.__('number %1 in line', position);
}

/** What a queued run waits for, as the title and the text of a card. `pausedBy`: who has paused all agents, if they are. */
export function queuedWords(
  working: number,
  pausedBy: string | null,
  trans: TranslationBundle
): { title: string; text: string } {
  if (pausedBy !== null) {
    return {
      title: trans.__('All agents are paused'),
      text: trans.__('%1 has paused all agents. This run starts when they are resumed.', pausedBy)
    };
  }
  return {
    title: working
      ? trans._n('%1 run is in progress', '%1 runs are in progress', working)
      : trans.__('Waiting for a free slot'),
    text: trans.__('This run starts when a slot is free.')
  };
}

/**
 * "All agents were paused by Ada Lind at 13:20. No new runs will start. No runs are active." `seesAll`: whether this person
 * sees the runs of everybody; otherwise others may be active.
 */
export function pausedWords(
  state: WorkSwitch,
  working: number,
  seesAll: boolean,
  trans: TranslationBundle
): string {
  const head = state.at
    ? trans.__('All agents were paused by %1 at %2.', state.by, clock(new Date(state.at)))
    : trans.__('All agents are paused by %1.', state.by);
  const words = [head, trans.__('No new runs will start.')];
  if (working) {
    words.push(trans._n('%1 run continues.', '%1 runs continue.', working));
  } else if (seesAll) {
    words.push(trans.__('No runs are active.'));
  }
  return words.join(' ');
}

/** What stands after the state's word: elapsed time, cost, or where in line. */
export function secondText(run: Run, now: Date, trans: TranslationBundle): string {
  if (run.state === 'queued') {
    return run.position === null ? '' : queuePosition(run.position, trans);
  }
  const seconds = elapsed(run, now);
  const time = seconds === null ? null : duration(seconds, trans);
  return [time, cost(run.cost_usd)].filter(part => part !== null).join(', ');
}

/** "2 running", "Paused, 2 running", "1 failed"; empty where there is nothing to tell. */
export function statusWords(
  working: number,
  paused: boolean,
  failed: number,
  trans: TranslationBundle
): string {
  const parts = [
    paused ? trans.__('Paused') : '',
    working ? trans._n('%1 running', '%1 running', working) : '',
    failed ? trans._n('%1 failed', '%1 failed', failed) : ''
  ];
  return parts.filter(part => part).join(', ');
}

/** Who or what has started a run: "by you", "by schedule", "after the play Digest". */
export function startedBy(
  { trigger }: Pick<Run, 'trigger'>,
  username: string | null,
  trans: TranslationBundle
): string {
  const { display_name: name, kind } = trigger;
  switch (kind) {
    case 'schedule':
      return trans.__('by schedule');
    case 'run':
      return trigger.source ? inSentence(trigger.source) : trans.__('by a run');
    case 'event':
      return trans.__('by an event');
    case 'webhook':
      return trans.__('by a webhook');
    case 'message':
      return trigger.source
        ? trans.__('by %1', inSentence(trigger.source))
        : trans.__('by a message');
    case 'program':
      return trans.__('by a program');
    default:
      return trigger.username === username ? trans.__('by you') : trans.__('by %1', name);
  }
}

/** The id of the run whose agent has started this one; `null` if none has. */
export function starterOf({ trigger }: Pick<Run, 'trigger'>): string | null {
  return trigger.run_id || trigger.ancestors[trigger.ancestors.length - 1] || null;
}

/** "A message from Ben to Ada." as a part of another sentence. */
function inSentence(text: string): string {
  return (text.charAt(0).toLowerCase() + text.slice(1)).replace(/\.$/, '');
}

/** What a line about a run says first: "Ada asked Scout", or "Scout, by schedule". `agentName`: how its agent is called. */
export function askedLine(run: Run, agentName: string, trans: TranslationBundle): string {
  const { display_name: name, kind } = run.trigger;
  const asked = agentName || (run.agent ?? run.runtime_title);
  return kind === 'person' || kind === 'terminal'
    ? trans.__('%1 asked %2', name, asked)
    : trans.__('%1, %2', asked, startedBy(run, null, trans));
}
