/**
 * What an agent's status is called, and what a person can do about it. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { AgentRow, LastRun } from '../../api/types';
import { stateLabel } from '../../runs';
import type { StateIcon } from '../../shared/stateIcon';
import { clock, dayAndTime, when } from '../../shared/time';
import type { AgentVerb } from './agents';

type Status = AgentRow['status'];

/** One word or two, and the icon beside it. */
export function statusLabel(
  status: Status,
  trans: TranslationBundle
): { label: string; icon: StateIcon } {
  switch (status) {
    case 'working':
      return { label: trans.__('Running'), icon: 'ring' };
    case 'waiting':
      return { label: trans.__('Waiting for you'), icon: 'question' };
    case 'queued':
      return { label: trans.__('Queued'), icon: 'clock' };
    case 'paused':
      return { label: trans.__('Paused'), icon: 'square' };
    case 'inactive':
      return { label: trans.__('Inactive'), icon: 'skip' };
    case 'unconfirmed':
      return { label: trans.__('Needs confirmation'), icon: 'warning' };
    case 'out_of_service':
      return { label: trans.__('Disabled: error'), icon: 'error' };
    default:
      return { label: trans.__('Idle'), icon: 'clock' };
  }
}

const VERBS: Readonly<Record<Status, readonly AgentVerb[]>> = {
  idle: ['run', 'pause'],
  working: ['stop', 'pause'],
  waiting: ['stop', 'pause'],
  queued: ['stop', 'pause'],
  paused: ['resume'],
  inactive: ['run'],
  unconfirmed: [],
  out_of_service: []
};

/** The commands that it accepts now, the likeliest first. */
export function verbsOf({ status }: Pick<AgentRow, 'status'>): readonly AgentVerb[] {
  return VERBS[status];
}

/** Why it does not accept a command in its state; null: it does. */
export function unfit(
  verb: AgentVerb,
  { status }: Pick<AgentRow, 'status'>,
  trans: TranslationBundle
): string | null {
  if (VERBS[status].includes(verb)) {
    return null;
  }
  if (verb === 'stop') {
    return trans.__('It has no active run.');
  }
  switch (status) {
    case 'working':
      return trans.__('It is already running.');
    case 'waiting':
      return trans.__('Its run is waiting for an answer.');
    case 'queued':
      return trans.__('Its run is already queued.');
    case 'paused':
      return trans.__('It is paused. Resume it first.');
    case 'inactive':
      return trans.__('Its persona says that it is inactive.');
    case 'unconfirmed':
      return trans.__('Confirm it first.');
    default:
      return trans.__('It is disabled because its persona has an error.');
  }
}

/** "Nothing to report, 02:25", "Failed, Yesterday", and what came of it. */
export function lastRunWords(
  last: LastRun,
  now: Date,
  trans: TranslationBundle
): { icon: StateIcon; summary: string; text: string } {
  const { icon, label } = stateLabel(last.state, trans);
  const outcome = last.nothing_to_report ? trans.__('Nothing to report') : label;
  return {
    icon,
    summary: trans.__('%1, %2', outcome, when(last.at, now, trans)),
    text: last.text
  };
}

/** "12 of 60 runs". */
export function budgetWords(agent: AgentRow, trans: TranslationBundle): string {
  const { budget, heartbeats_used: used } = agent;
  return budget > 0
    ? trans.__('%1 of %2 heartbeats', used, budget)
    : trans._n('%1 heartbeat', '%1 heartbeats', used);
}

/** "in 25 minutes, 15:00"; empty where none is planned. */
export function nextWords(agent: AgentRow, now: Date, trans: TranslationBundle): string {
  if (!agent.next_heartbeat) {
    return '';
  }
  const at = new Date(agent.next_heartbeat);
  const minutes = Math.round((at.getTime() - now.getTime()) / 60_000);
  if (minutes < 1) {
    return trans.__('now');
  }
  if (minutes < 60) {
    return trans.__('%1, %2', trans._n('in %1 minute', 'in %1 minutes', minutes), clock(at));
  }
  return isSameDay(at, now) ? clock(at) : dayAndTime(at, trans);
}

/** "Otherwise read at 18:00", of a message that waits for the next heartbeat. */
export function otherwiseWords(
  { next_heartbeat: next }: Pick<AgentRow, 'next_heartbeat'>,
  now: Date,
  trans: TranslationBundle
): string {
  if (!next) {
    return trans.__('Otherwise it reads this in its next run');
  }
  const at = new Date(next);
  return isSameDay(at, now)
    ? trans.__('Otherwise it reads this at %1', clock(at))
    : trans.__('Otherwise it reads this %1', dayAndTime(at, trans));
}

function isSameDay(a: Date, b: Date): boolean {
  return a.toDateString() === b.toDateString();
}

/** "Lead · Claude Code". */
export function roleWords(agent: AgentRow, runtimeTitle: string): string {
  return [agent.role, runtimeTitle].filter(part => part).join(' · ');
}
