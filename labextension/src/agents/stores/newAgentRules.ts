/**
 * What the server accepts for a new agent, so that a person sees mistakes while typing. The same cases are tried here and
 * on the server (`tests/fixtures/rules/new_agent.json`); what only the server can know it says itself. Pure.
 */

/** The values of the form: texts, also for numbers. */
export interface IDraft {
  template: string;
  name: string;
  slug: string;
  /** Empty: the server's default. */
  runtime: string;
  heartbeat: string;
  heartbeatEnabled: boolean;
  budget: string;
  /** In USD. Empty: the server's limit. */
  dailyCost: string;
  /** Empty: as the server has it. */
  visibility: '' | 'private' | 'server';
}

export type Field = keyof IDraft;

/** What a new agent can do without, because its template or the server decides it. The form shows it on request. */
export const MORE_FIELDS = [
  'slug',
  'heartbeat',
  'heartbeatEnabled',
  'budget',
  'dailyCost',
  'visibility'
] as const satisfies readonly Field[];

/** Codes for why a value is not accepted. `fieldErrorText.ts` has their texts; the server sends its own. */
export type Wrong = Partial<Record<Field, string>>;

/** Codes of what our own rules find in the forms of agents. */
export const WRONG = {
  slug: 'slug',
  taken: 'taken',
  name: 'name',
  heartbeat: 'heartbeat',
  alias: 'alias',
  interval: 'interval',
  budget: 'budget',
  cost: 'cost',
  template: 'template',
  zone: 'zone',
  count: 'count',
  time: 'time',
  metric: 'metric',
  metricTwice: 'metric_twice',
  target: 'target',
  unit: 'unit',
  period: 'period'
} as const;

const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/;
const LONGEST_NAME = 200;
const LONGEST_HEARTBEAT = 200;
const MOST_BUDGET = 1_000_000;
const MOST_COST = 1_000_000;
const ALIASES = '@hourly @daily @midnight @weekly @monthly @yearly @annually'.split(' ');
const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };
const LONGEST_DAYS = 366;

/** Nothing for a draft that the server should accept. */
export function checkAgent(draft: IDraft, taken: readonly string[]): Wrong {
  const found: Record<string, string | null> = {
    template: draft.template ? null : WRONG.template,
    name: checkName(draft.name),
    slug: checkSlug(draft.slug, taken),
    heartbeat: checkHeartbeat(draft.heartbeat),
    budget: checkBudget(draft.budget),
    dailyCost: checkCost(draft.dailyCost)
  };
  return Object.fromEntries(Object.entries(found).filter(([, wrong]) => wrong)) as Wrong;
}

export function checkName(name: string): string | null {
  const { length } = name.trim();
  return length >= 1 && length <= LONGEST_NAME ? null : WRONG.name;
}

export function checkSlug(slug: string, taken: readonly string[] = []): string | null {
  if (!SLUG.test(slug)) {
    return WRONG.slug;
  }
  return taken.includes(slug) ? WRONG.taken : null;
}

/** Whether an expression is ever due only the server says. */
export function checkHeartbeat(text: string): string | null {
  const words = text.trim().split(/\s+/);
  const [first] = words;
  if (first.toLowerCase() === 'every') {
    return checkInterval(words.slice(1).join(' ').toLowerCase());
  }
  if (/^(\d+\s*[mhd]|daily)$/i.test(text.trim())) {
    return checkInterval(text.trim().toLowerCase());
  }
  if (first.startsWith('@')) {
    return words.length === 1 && ALIASES.includes(first.toLowerCase()) ? null : WRONG.alias;
  }
  return words.length === 5 && text.trim().length <= LONGEST_HEARTBEAT ? null : WRONG.heartbeat;
}

function checkInterval(length: string): string | null {
  const found = /^(\d{1,6})\s*([mhd])$/.exec(length === 'daily' ? '1d' : length);
  const seconds = found ? +found[1] * SECONDS[found[2]] : 0;
  return seconds >= 60 && seconds <= LONGEST_DAYS * SECONDS.d ? null : WRONG.interval;
}

export function checkBudget(text: string): string | null {
  return /^\d{1,7}$/.test(text.trim()) && +text <= MOST_BUDGET ? null : WRONG.budget;
}

export function checkCost(text: string): string | null {
  const value = text.trim();
  return !value || (/^\d{1,7}(\.\d{1,6})?$/.test(value) && +value <= MOST_COST) ? null : WRONG.cost;
}

/** "Data steward (EU)" becomes "data-steward-eu". Empty if no character of the name is allowed in a slug. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');
}

/** As the persona's front matter has them. */
export function fieldsOf(draft: IDraft): Record<string, unknown> {
  return {
    name: draft.name.trim(),
    heartbeat: draft.heartbeat.trim(),
    heartbeat_enabled: draft.heartbeatEnabled,
    budget: Number(draft.budget),
    ...(draft.runtime && { runtime: draft.runtime }),
    ...(draft.dailyCost.trim() && { daily_cost_usd: Number(draft.dailyCost) })
  };
}
