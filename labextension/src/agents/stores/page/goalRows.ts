/**
 * The goals of a persona as rows of a form: from front matter and back, and what is wrong with them. Pure.
 */
import { WRONG } from '../newAgentRules';
import { canonical, type Fields } from './personaText';

export const PERIODS = ['daily', 'weekly', 'monthly'] as const;
export const GOAL_COLUMNS = ['metric', 'target', 'unit', 'period'] as const;
export type GoalColumn = (typeof GOAL_COLUMNS)[number];

/** As the form shows it, as texts. `others`: fields of the goal that the form does not show but keeps. */
export type IGoalRow = Readonly<Record<GoalColumn, string>> & {
  readonly others: Readonly<Record<string, unknown>>;
};

const LONGEST_METRIC = 100;
const LONGEST_UNIT = 50;

export const NEW_GOAL: IGoalRow = {
  metric: '',
  target: '',
  unit: '',
  period: 'weekly',
  others: {}
};

/** Null: what the file has there is no list of goals. */
export function goalsIn(fields: Fields): readonly IGoalRow[] | null {
  const goals: unknown = canonical(fields).goals ?? [];
  return Array.isArray(goals) && goals.every(isGroup) ? goals.map(rowOf) : null;
}

function rowOf({ metric, period, target, unit, ...others }: Record<string, unknown>): IGoalRow {
  return {
    metric: text(metric),
    target: text(target),
    unit: text(unit),
    period: text(period) || NEW_GOAL.period,
    others
  };
}

/** What is saved. */
export function goalFields(rows: readonly IGoalRow[]): Record<string, unknown> {
  const goals = rows.map(({ metric, others, period, target, unit }) => ({
    metric: metric.trim(),
    target: Number(target),
    ...(unit.trim() && { unit: unit.trim() }),
    period,
    ...others
  }));
  return { goals: goals.length > 0 ? goals : null };
}

/** Codes of `WRONG` by the server's names, such as `goals[1].target`. */
export function checkGoals(rows: readonly IGoalRow[]): Readonly<Record<string, string>> {
  const metrics = rows.map(({ metric }) => metric.trim());
  const found = rows.flatMap(
    ({ period, target, unit }, index): [GoalColumn, string | null, number][] => [
      ['metric', checkMetric(metrics, index), index],
      ['target', isNumber(target) ? null : WRONG.target, index],
      ['unit', unit.trim().length <= LONGEST_UNIT ? null : WRONG.unit, index],
      ['period', PERIODS.some(each => each === period) ? null : WRONG.period, index]
    ]
  );
  return Object.fromEntries(
    found.flatMap(([column, wrong, index]) => (wrong ? [[goalField(index, column), wrong]] : []))
  ) as Record<string, string>;
}

export function goalField(index: number, column: GoalColumn): string {
  return `goals[${index + 1}].${column}`;
}

/** In one line, to be shown beside one's own. */
export function goalsText(rows: readonly IGoalRow[]): string {
  return rows
    .map(({ metric, period, target, unit }) =>
      [`${metric}:`, target, unit, period].filter(part => part).join(' ')
    )
    .join(', ');
}

function checkMetric(metrics: readonly string[], index: number): string | null {
  const metric = metrics[index];
  if (metric.length < 1 || metric.length > LONGEST_METRIC) {
    return WRONG.metric;
  }
  return metrics.indexOf(metric) < index ? WRONG.metricTwice : null;
}

function isNumber(target: string): boolean {
  return target.trim() !== '' && Number.isFinite(Number(target));
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
