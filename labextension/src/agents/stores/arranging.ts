/**
 * Which agents a list shows, and in which order. Pure.
 */
import type { AgentRow } from '../../api/types';
import { naturally } from '../../shared/naturalOrder';

/** `out`: those that cannot act because of an error. `unconfirmed`: those that nobody has confirmed as they are. */
export type Filter = 'all' | 'running' | 'waiting' | 'paused' | 'unconfirmed' | 'out';
/** `own`: as the person has put them. */
export type Sort = 'next' | 'name' | 'cost' | 'own';

export const FILTERS: readonly Filter[] = [
  'all',
  'running',
  'waiting',
  'paused',
  'unconfirmed',
  'out'
];
export const SORTS: readonly Sort[] = ['next', 'name', 'cost', 'own'];

/** What a person looks for. Empty texts and null ask for nothing. */
export interface IWanted {
  filter: Filter;
  search: string;
  department: string;
  tag: string;
}

const FILTER_OF: Readonly<Record<AgentRow['status'], Exclude<Filter, 'all'> | null>> = {
  idle: null,
  inactive: null,
  queued: null,
  working: 'running',
  waiting: 'waiting',
  paused: 'paused',
  unconfirmed: 'unconfirmed',
  out_of_service: 'out'
};

/** How many each filter lets through. */
export function countsOf(rows: readonly AgentRow[]): Record<Filter, number> {
  const counts: Record<Filter, number> = {
    all: rows.length,
    running: 0,
    waiting: 0,
    paused: 0,
    unconfirmed: 0,
    out: 0
  };
  for (const { status } of rows) {
    const filter = FILTER_OF[status];
    if (filter) {
      counts[filter] += 1;
    }
  }
  return counts;
}

/** Those that are wanted, in the order that they came in. */
export function filtered(rows: readonly AgentRow[], wanted: IWanted): AgentRow[] {
  const words = wanted.search
    .toLocaleLowerCase()
    .split(/\s+/)
    .filter(word => word);
  return rows.filter(
    row =>
      (wanted.filter === 'all' || FILTER_OF[row.status] === wanted.filter) &&
      (!wanted.department || row.department === wanted.department) &&
      (!wanted.tag || row.tags.includes(wanted.tag)) &&
      words.every(word => textOf(row).includes(word))
  );
}

function textOf({ department, name, role, runtime, slug, tags }: AgentRow): string {
  return [slug, name, role, department, runtime ?? '', ...tags].join('\n').toLocaleLowerCase();
}

/** The departments or tags that there are, by name. One alone tells nothing apart. */
export function departmentsOf(rows: readonly AgentRow[]): string[] {
  const names = distinct(rows.map(({ department }) => department));
  return names.length > 1 ? names : [];
}

export function tagsOf(rows: readonly AgentRow[]): string[] {
  return distinct(rows.flatMap(({ tags }) => tags));
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names.filter(name => name))].sort(naturally);
}

/** `order`: slugs as the person has put them; agents that are not in it come after those, by name. */
export function sorted(
  rows: readonly AgentRow[],
  sort: Sort,
  order: readonly string[]
): AgentRow[] {
  const places = new Map(order.map((slug, place) => [slug, place]));
  const before: Record<Sort, (a: AgentRow, b: AgentRow) => number> = {
    name: () => 0,
    next: (a, b) => difference(timeOf(a), timeOf(b)),
    cost: (a, b) => b.cost_today_usd - a.cost_today_usd,
    own: (a, b) => difference(places.get(a.slug) ?? Infinity, places.get(b.slug) ?? Infinity)
  };
  return [...rows].sort(
    (a, b) => before[sort](a, b) || naturally(a.name, b.name) || naturally(a.slug, b.slug)
  );
}

function timeOf({ next_heartbeat: next }: AgentRow): number {
  return next ? Date.parse(next) : Infinity;
}

function difference(a: number, b: number): number {
  return a === b ? 0 : a - b; // Infinity - Infinity is no number
}

/** The order with one agent put to the place that another has; both may be missing from it. */
export function moved(order: readonly string[], slug: string, place: string): string[] {
  const from = order.indexOf(slug);
  const to = order.indexOf(place);
  if (from < 0 || to < 0 || from === to) {
    return [...order];
  }
  const rest = order.filter(each => each !== slug);
  rest.splice(to, 0, slug);
  return rest;
}

/** What the agents have cost today, and may cost. `limit` is null where one of them has none that is known. */
export function costOf(rows: readonly AgentRow[]): { usd: number; limit: number | null } {
  const limits = rows
    .filter(({ status }) => status !== 'out_of_service')
    .map(row => row.daily_cost_usd);
  return {
    usd: rows.reduce((sum, row) => sum + row.cost_today_usd, 0),
    limit:
      limits.length && limits.every(limit => limit !== null)
        ? limits.reduce<number>((sum, limit) => sum + limit!, 0)
        : null
  };
}
