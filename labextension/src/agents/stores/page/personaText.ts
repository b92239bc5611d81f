/**
 * The fields of a persona that a form shows as one text: from front matter and back, and what is wrong with a text. Pure.
 */
import type { AgentDetail } from '../../../api/types';
import { WRONG } from '../newAgentRules';

export type Fields = AgentDetail['fields'];

/** Fields with whole numbers, with lists of words, and with yes or no. */
const NUMBERS: ReadonlySet<string> = new Set(['budget']);
const LISTS: ReadonlySet<string> = new Set(['tags', 'network', 'browser_actions']);
const SWITCHES: ReadonlySet<string> = new Set([
  'active',
  'isolate',
  'starts_agents',
  'proposes_tool_servers'
]);

/** Other names of fields, which personas of other installations have. */
const ALIASES: Readonly<Record<string, string>> = {
  provider: 'runtime',
  timeout: 'timeout_seconds'
};

/** A description says what other installations do not write as a role. */
const WITHOUT_ROLE: Readonly<Record<string, string>> = { ...ALIASES, description: 'role' };

/** The fields by the names that the server knows them by, whatever spelling the file has. */
export function canonical(fields: Fields): Fields {
  const aliases = 'role' in fields ? ALIASES : WITHOUT_ROLE;
  const named = Object.entries(fields).map(([written, value]) => {
    const snake = written.replace(
      /([a-z0-9])([A-Z])/g,
      (_, before: string, upper: string) => `${before}_${upper.toLowerCase()}`
    );
    return [aliases[snake] ?? snake, value] as const;
  });
  return Object.fromEntries(named);
}

/** A value as a field of the form shows it; null where the form cannot. */
export function fieldText(fields: Fields, name: string): string | null {
  const value = canonical(fields)[name];
  if (value === undefined || value === null) {
    return '';
  }
  if (Array.isArray(value)) {
    return value.every(each => typeof each === 'string') ? value.join(', ') : null;
  }
  return typeof value === 'object' ? null : String(value);
}

/** As YAML has it; an empty field is removed. */
export function valueOf(name: string, text: string): unknown {
  const trimmed = text.trim();
  if (!trimmed) {
    return null;
  }
  if (LISTS.has(name)) {
    const words = trimmed.split(',').map(each => each.trim());
    return words.filter(each => each);
  }
  if (SWITCHES.has(name)) {
    return trimmed === 'true';
  }
  return NUMBERS.has(name) && /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

/** A code of `WRONG`; null for a text that the server should accept. */
export function checkText(name: string, text: string): string | null {
  return name === 'timezone' && !isTimeZone(text.trim()) ? WRONG.zone : null;
}

export function timeZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter(zone => zone !== 'UTC')];
}

/** Also older names such as `US/Pacific`, which the list leaves out. The server takes names, but no offsets. */
function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) {
    return false;
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone: name || 'UTC' });
    return true;
  } catch {
    return false;
  }
}
