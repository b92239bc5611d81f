/**
 * How far a goal is, for a bar, a plot and for the ear. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Goal } from '../../api/types';

const DAY_MS = 86_400_000;

/** A bar from 0 to 1, with the mark where it should be today; null where nothing is expected. */
export interface IBar {
  share: number;
  due: number | null;
}

/** How much of a goal's period has gone, 0 to 1; null where it has no period. Days are those of this browser. */
export function periodShare(goal: Goal, now: Date): number | null {
  const period = periodOf(goal);
  return period && clamp((now.getTime() - period.start) / (period.end - period.start));
}

/** The first moment of the period and the first after it, in milliseconds; null where the days are not known. */
export function periodOf(goal: Goal): { start: number; end: number } | null {
  const [start, last] = [goal.period_start, goal.period_end].map(midnight);
  return Number.isFinite(start) && Number.isFinite(last) && last >= start
    ? { start, end: dayAfter(last) }
    : null;
}

export function barOf(goal: Goal, now: Date): IBar {
  const target = goal.target ?? 0;
  return target > 0
    ? { share: clamp(goal.current / target), due: periodShare(goal, now) }
    : { share: 0, due: null };
}

/** "6 of 8, on track"; the unit behind the figures. */
export function goalWords(goal: Goal, trans: TranslationBundle): string {
  const { current, target, unit } = goal;
  const amount =
    target === null ? number(current) : trans.__('%1 of %2', number(current), number(target));
  const word = goal.label && labelWord(goal.label, trans);
  return [[amount, unit].filter(part => part).join(' '), word].filter(part => part).join(', ');
}

function labelWord(label: string, trans: TranslationBundle): string {
  switch (label) {
    case 'exceeded':
      return trans.__('exceeded');
    case 'on track':
      return trans.__('on track');
    case 'behind':
      return trans.__('behind');
    case 'critical':
      return trans.__('critical');
    default:
      return label;
  }
}

/** "this week"; the length of the period says it. */
export function periodWords(goal: Goal, trans: TranslationBundle): string {
  const period = periodOf(goal);
  const days = period ? Math.round((period.end - period.start) / DAY_MS) : 0;
  switch (days) {
    case 0:
      return '';
    case 1:
      return trans.__('today');
    case 7:
      return trans.__('this week');
    default:
      return days > 27 ? trans.__('this month') : trans.__('this period');
  }
}

/** What is known of the current period and of those before, for a plot and for the table that says the same. */
export interface IPlot {
  start: number;
  end: number;
  now: number;
  current: number;
  target: number | null;
  /** What the period asks for by now. */
  expected: number | null;
  floor: number | null;
  /** The oldest first. */
  past: { period: string; actual: number; target: number | null }[];
}

const MOST_PAST = 8;

/** Null where the goal's period is not known. Past periods are the last ones. */
export function plotOf(goal: Goal, now: Date): IPlot | null {
  const period = periodOf(goal);
  if (!period) {
    return null;
  }
  const share = periodShare(goal, now) ?? 0;
  return {
    ...period,
    now: Math.min(Math.max(now.getTime(), period.start), period.end),
    current: goal.current,
    target: goal.target,
    expected: goal.target === null ? null : goal.target * share,
    floor: goal.floor,
    past: goal.history.slice(-MOST_PAST).map(({ period: name, actual, target }) => ({
      period: name,
      actual,
      target
    }))
  };
}

/** As people write amounts: at most two digits after the point. */
export function number(value: number): string {
  return value.toLocaleString(undefined, { maximumFractionDigits: 2 });
}

/** Of a day as the server writes it, in this browser's zone; not a number where it is none. */
function midnight(day: string): number {
  const parts = /^(\d{4})-(\d{2})-(\d{2})/.exec(day);
  return parts ? new Date(+parts[1], +parts[2] - 1, +parts[3]).getTime() : NaN;
}

function dayAfter(time: number): number {
  const day = new Date(time);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime();
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
