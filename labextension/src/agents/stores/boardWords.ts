/**
 * The words of the list of agents. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { AgentDetail, AgentRow, AgentTemplate, Difference, Run } from '../../api/types';
import { cost, secondText } from '../../runs';
import { dayAndTime, duration } from '../../shared/time';
import { costOf, type Filter, type Sort } from './arranging';
import { firstChange } from './changedText';

export function filterLabel(filter: Filter, trans: TranslationBundle): string {
  switch (filter) {
    case 'all':
      return trans.__('All');
    case 'running':
      return trans.__('Running');
    case 'waiting':
      return trans.__('Waiting');
    case 'paused':
      return trans.__('Paused');
    case 'unconfirmed':
      return trans.__('Needs confirmation');
    case 'out':
      return trans.__('Disabled: error');
  }
}

export function sortLabel(sort: Sort, trans: TranslationBundle): string {
  switch (sort) {
    case 'next':
      return trans.__('Next heartbeat');
    case 'name':
      return trans.__('Name');
    case 'cost':
      return trans.__('Cost today');
    case 'own':
      return trans.__('Custom order');
  }
}

/** "$1.84 today of $10.00". Nothing where no CLI has reported any cost: an unknown cost is not zero. */
export function dayCostWords(rows: readonly AgentRow[], trans: TranslationBundle): string {
  const { limit, usd } = costOf(rows);
  if (usd <= 0) {
    return '';
  }
  return limit === null
    ? trans.__('%1 today', cost(usd))
    : trans.__('%1 today of %2', cost(usd), cost(limit));
}

/** "$0.30 of $2.00", of one agent. */
export function costWords(agent: AgentRow, trans: TranslationBundle): string {
  const { cost_today_usd: usd, daily_cost_usd: limit } = agent;
  return limit === null ? cost(usd)! : trans.__('%1 of %2', cost(usd), cost(limit));
}

/** In these it starts what is due. */
const ACTS: readonly AgentRow['status'][] = ['idle', 'queued', 'working', 'waiting'];

/**
 * "This server stops after 30 minutes without activity. A stopped server does not start the heartbeat of Ada (Fri,
 * 27 Nov, 08:00)." Null where it stays up until the next one of each agent. `seconds`: without activity, until it stops.
 */
export function idleStopWords(
  rows: readonly AgentRow[],
  seconds: number | null,
  now: Date,
  trans: TranslationBundle
): string | null {
  if (seconds === null) {
    return null;
  }
  const stops = now.getTime() + seconds * 1000;
  const missed = rows
    .filter(({ status }) => ACTS.includes(status))
    .flatMap(({ name, next_heartbeat: next }) => (next ? [{ name, at: new Date(next) }] : []))
    .filter(({ at }) => at.getTime() > stops)
    .sort((a, b) => a.at.getTime() - b.at.getTime());
  if (!missed.length) {
    return null;
  }
  const first = trans.__('%1 (%2)', missed[0].name, dayAndTime(missed[0].at, trans));
  const rest = missed.length - 1;
  const whose = rest ? trans._n('%2 and %1 more', '%2 and %1 more', rest, first) : first;
  const minutes = Math.round(seconds / 60);
  const time = minutes ? trans._n('%1 minute', '%1 minutes', minutes) : duration(seconds, trans);
  return trans.__(
    'This server stops after %1 without activity, and then no heartbeats start. Affected: %2. Set schedules_keep_server to keep the server running.',
    time,
    whose
  );
}

function kindWord(kind: Run['kind'], trans: TranslationBundle): string {
  switch (kind) {
    case 'heartbeat':
      return trans.__('heartbeat');
    case 'play':
      return trans.__('play');
    case 'reflection':
      return trans.__('reflection');
    case 'message':
      return trans.__('message');
    case 'channel_message':
      return trans.__('chat');
    case 'reply':
      return trans.__('reply');
    case 'step':
      return trans.__('step of a plan');
    default:
      return '';
  }
}

/** "heartbeat, 1 min 40 s" of the run at work, with "1 approval" where it waits. */
export function runWords(
  run: Run | undefined,
  approvals: number,
  now: Date,
  trans: TranslationBundle
): string {
  const parts = run ? [kindWord(run.kind, trans), secondText(run, now, trans)] : [];
  if (approvals) {
    parts.unshift(trans._n('%1 request waiting', '%1 requests waiting', approvals));
  }
  return parts.filter(part => part).join(', ');
}

/** The number of differences on a card; the dialog that confirms them has all. */
const MOST = 5;

/** What keeps an agent from acting, a line for each thing; nothing for one that may act. */
export function obstacles(agent: AgentDetail, trans: TranslationBundle): string[] {
  if (agent.status === 'out_of_service') {
    return agent.errors.map(({ line, message }) =>
      line === null ? message : trans.__('Line %1. %2', line, message)
    );
  }
  if (agent.status !== 'unconfirmed') {
    return [];
  }
  const all = agent.difference.filter(({ after, before }) => after || before);
  const lines = all.slice(0, MOST).map(each => changeWords(each, trans));
  const rest = all.length - lines.length;
  return rest ? [...lines, trans._n('and %1 more', 'and %1 more', rest)] : lines;
}

/** One difference. If two texts begin alike, a line that only one of them has is named. */
function changeWords(difference: Difference, trans: TranslationBundle): string {
  const { after, before, what } = difference;
  const change = short(after) === short(before) ? firstChange(difference) : null;
  if (change) {
    return change.sign === '+'
      ? trans.__('%1: “%2” is new', what, short(change.text))
      : trans.__('%1: “%2” is gone', what, short(change.text));
  }
  return before
    ? trans.__('%1: %2 (was %3)', what, short(after), short(before))
    : trans.__('%1: %2', what, short(after));
}

const LONGEST = 80;

/** The first line of a value; the whole is shown before anything is confirmed. */
function short(text: string): string {
  const line = text.trim().split('\n')[0];
  return line.length > LONGEST || line.length < text.trim().length
    ? `${line.slice(0, LONGEST)}…`
    : line || '–';
}

/** "Every weekday at 09:00, when there is something to do". */
export function scheduleWords(template: AgentTemplate, trans: TranslationBundle): string {
  const { schedule, when_needed: whenNeeded } = template;
  const words = schedule.charAt(0).toLocaleUpperCase() + schedule.slice(1);
  return whenNeeded ? trans.__('%1, when there is something to do', words) : words;
}

/** How many agents there are, for the header and for the ear. */
export function countWords(count: number, trans: TranslationBundle): string {
  return count ? trans._n('%1 agent', '%1 agents', count) : trans.__('No agents yet');
}
