/**
 * A rule as a person fills it in, and in words. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ApprovalRule, NewRule } from '../../api/types';

export type RuleKind = NewRule['action']['type'];
export type RuleEffect = NewRule['effect'];

/** The fields of the form. `what`: the command, path or host; of a tool its name. */
export interface IRuleFields {
  effect: RuleEffect;
  kind: RuleKind;
  what: string;
  /** Of a command: further arguments may follow. */
  more: boolean;
  /** Of a tool. */
  server: string;
  agent: string;
  /** Where no agent is named: only CLIs that work without one. */
  bare: boolean;
  /** The name of a CLI. */
  runtime: string;
  folder: string;
  /** Days from now; empty: it never ends. */
  days: string;
  note: string;
}

export const EMPTY_RULE: IRuleFields = {
  effect: 'allow',
  kind: 'command',
  what: '',
  more: false,
  server: '',
  agent: '',
  bare: false,
  runtime: '',
  folder: '',
  days: '30',
  note: ''
};

const DAY_MS = 24 * 3600 * 1000;

/** The rule, or the reason why it is none yet, with the field that has to be changed. */
export function ruleOf(
  fields: IRuleFields,
  now: Date,
  trans: TranslationBundle
): { rule: NewRule } | { problem: string; field: 'what' | 'days' } {
  const what = fields.what.trim();
  if (!what) {
    return { problem: trans.__('Enter what the rule applies to.'), field: 'what' };
  }
  const days = fields.days.trim() === '' ? null : Number(fields.days);
  if (days !== null && !(Number.isFinite(days) && days > 0)) {
    return {
      problem: trans.__('Enter a number of days above 0, or leave this empty.'),
      field: 'days'
    };
  }
  const argv = wordsOf(what);
  if (fields.kind === 'command' && argv === null) {
    return { problem: trans.__('A quote in the command is not closed.'), field: 'what' };
  }
  return {
    rule: {
      effect: fields.effect,
      action: actionOf(fields, what, argv ?? []),
      agent: fields.agent.trim() || (fields.bare ? '' : null),
      runtime: fields.runtime.trim() || null,
      folder: fields.folder.trim() || null,
      expires_at: days === null ? null : new Date(now.getTime() + days * DAY_MS).toISOString(),
      note: fields.note.trim()
    }
  };
}

/** Whether this field is what keeps these fields from being a rule. */
export function isStillWrong(
  field: 'what' | 'days',
  fields: IRuleFields,
  trans: TranslationBundle
): boolean {
  const made = ruleOf(fields, new Date(), trans);
  return 'problem' in made && made.field === field;
}

function actionOf(fields: IRuleFields, what: string, argv: string[]): NewRule['action'] {
  switch (fields.kind) {
    case 'command':
      return { type: 'command', argv, more: fields.more };
    case 'edit':
      return { type: 'edit', path: what };
    case 'fetch':
      return { type: 'fetch', host: what };
    case 'tool':
      return { type: 'tool', server: fields.server.trim(), tool: what };
  }
}

/** The fields of a rule that is there. */
export function fieldsOf(rule: ApprovalRule, now: Date): IRuleFields {
  const left = rule.expires_at === null ? null : Date.parse(rule.expires_at) - now.getTime();
  const days = left === null ? '' : String(Math.max(1, Math.round(left / DAY_MS)));
  const { action, agent, effect, folder, note, runtime } = rule;
  const plain = {
    ...EMPTY_RULE,
    effect,
    agent: agent ?? '',
    bare: agent === '',
    runtime: runtime ?? '',
    folder: folder ?? '',
    days,
    note
  };
  switch (action.type) {
    case 'command':
      return { ...plain, kind: 'command', what: spelledWords(action.argv), more: action.more };
    case 'edit':
      return { ...plain, kind: 'edit', what: action.path };
    case 'fetch':
      return { ...plain, kind: 'fetch', what: action.host };
    case 'tool':
      return { ...plain, kind: 'tool', what: action.tool, server: action.server };
  }
}

/** Pieces of a command: white space, a quoted text, an unquoted one, or a quote that is not closed. */
const PIECES = /(\s+)|"([^"]*)"|'([^']*)'|([^\s"']+)|(["'])/g;

/** A command's words, quoted as in a shell; null where a quote is open. Nothing is expanded. */
export function wordsOf(text: string): string[] | null {
  const words: string[] = [];
  let isInside = false;
  for (const [, space, double, single, plain, open] of text.matchAll(PIECES)) {
    if (open !== undefined) {
      return null;
    }
    if (space === undefined) {
      const piece = double ?? single ?? plain;
      words.push(isInside ? words.pop()! + piece : piece);
    }
    isInside = space === undefined;
  }
  return words;
}

/** Words in one line that `wordsOf` reads as they were. */
export function spelledWords(argv: readonly string[]): string {
  return argv.map(spelledWord).join(' ');
}

function spelledWord(word: string): string {
  if (/^[^\s'"]+$/.test(word)) {
    return word;
  }
  return word
    .split("'")
    .map(part => (part || word === '' ? `'${part}'` : ''))
    .join(`"'"`);
}

/** "git status …", "edit docs/**", "fetch example.org", "github: create_issue" */
export function actionText({ action }: Pick<NewRule, 'action'>, trans: TranslationBundle): string {
  switch (action.type) {
    case 'command':
      return `${spelledWords(action.argv)}${action.more ? ' …' : ''}`;
    case 'edit':
      return trans.__('edit %1', action.path);
    case 'fetch':
      return trans.__('fetch %1', action.host);
    case 'tool':
      return action.server ? `${action.server}: ${action.tool}` : action.tool;
  }
}

export function effectText(effect: RuleEffect, trans: TranslationBundle): string {
  return { allow: trans.__('Allow'), ask: trans.__('Ask'), deny: trans.__('Deny') }[effect];
}

/** For whom and where: "ada, in data and below", "claude without a named agent, everywhere in this workspace". */
export function scopeText(
  { agent, effect, folder, runtime }: Pick<NewRule, 'agent' | 'effect' | 'folder' | 'runtime'>,
  trans: TranslationBundle
): string {
  const where = folder
    ? trans.__('in %1 and below', folder)
    : effect === 'allow' // nothing outside is ever allowed by a rule
      ? trans.__('everywhere in this workspace')
      : trans.__('everywhere');
  return trans.__('%1, %2', whoText(agent ?? null, runtime ?? '', trans), where);
}

/** `agent`: null means any agent or none, empty means only runs without one. `runtime`: empty means any. */
function whoText(agent: string | null, runtime: string, trans: TranslationBundle): string {
  if (agent === null) {
    return runtime ? trans.__('every agent with %1', runtime) : trans.__('every agent');
  }
  if (agent === '') {
    return runtime
      ? trans.__('%1 without a named agent', runtime)
      : trans.__('every CLI without a named agent');
  }
  return runtime ? trans.__('%1 with %2', agent, runtime) : agent;
}
