/**
 * Which tools an agent may use, as a form has it: a set by its name, or those that are chosen one by one. Pure.
 */
import { canonical, type Fields, fieldText } from './personaText';

/** Empty: what an agent has that says nothing about tools. */
export const TOOL_SETS = ['', 'none', 'coding', 'messaging', 'full', 'custom'] as const;
export type ToolSet = (typeof TOOL_SETS)[number];

/** `allowed`: those of a `custom` set, in the order of the file. */
export interface ITools {
  set: ToolSet;
  allowed: readonly string[];
}

export const OWN_TOOLS = ['cabinet:memory', 'cabinet:sessions', 'cabinet:messaging'] as const;
export const KNOWN_TOOLS = [
  'Read',
  'Glob',
  'Grep',
  'Edit',
  'Write',
  'Bash',
  'WebSearch',
  'WebFetch',
  ...OWN_TOOLS
] as const;

/** As the server has them (`tests/fixtures/rules/persona.json`). */
export const TOOLS_OF: Readonly<Record<Exclude<ToolSet, 'custom'>, readonly string[]>> = {
  '': ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'WebSearch', 'WebFetch'],
  none: [],
  coding: ['Read', 'Edit', 'Write', 'Bash', 'Glob', 'Grep', 'cabinet:memory', 'cabinet:sessions'],
  messaging: OWN_TOOLS,
  full: KNOWN_TOOLS
};

/** Null: what the file has there a form cannot show. */
export function toolsIn(fields: Fields): ITools | null {
  const { allowed_tools: list } = canonical(fields);
  const written = fieldText(fields, 'tool_preset');
  const set = written === 'potato' ? 'none' : written;
  if (list !== undefined && list !== null) {
    const isShown = Array.isArray(list) && list.every(each => typeof each === 'string');
    return isShown && (set === '' || set === 'custom') ? { set: 'custom', allowed: list } : null;
  }
  const named = TOOL_SETS.find(each => each === set);
  return named === undefined || named === 'custom' ? null : { set: named, allowed: [] };
}

/** Those that it may use, by name. */
export function allowedIn({ allowed, set }: ITools): readonly string[] {
  return set === 'custom' ? allowed : TOOLS_OF[set];
}

export function withSet(tools: ITools, set: ToolSet): ITools {
  return { set, allowed: set === 'custom' ? allowedIn(tools) : [] };
}

/** One tool more or less. `before`: as the file has them, whose order stays. */
export function withTool(tools: ITools, tool: string, isOn: boolean, before: ITools): ITools {
  const chosen = new Set(allowedIn(tools));
  chosen[isOn ? 'add' : 'delete'](tool);
  const order = new Set([...allowedIn(before), ...allowedIn(tools), ...KNOWN_TOOLS, tool]);
  return { set: 'custom', allowed: [...order].filter(each => chosen.has(each)) };
}

/** All that a form lists: the known ones, and those that the file has besides. */
export function listedTools(...seen: readonly ITools[]): readonly string[] {
  return [...new Set([...KNOWN_TOOLS, ...seen.flatMap(({ allowed }) => allowed)])];
}

/** What is saved; null removes a field. */
export function toolFields({ allowed, set }: ITools, before: Fields): Record<string, unknown> {
  if (set === 'custom') {
    const isNamed = fieldText(before, 'tool_preset') === 'custom';
    return { allowed_tools: [...allowed], ...(!isNamed && { tool_preset: null }) };
  }
  return { allowed_tools: null, tool_preset: set || null };
}
