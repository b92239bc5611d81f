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
  folder: '',
  days: '30',
  note: ''
};

const DAY_MS = 24 * 3600 * 1000;

/** The rule, or the reason why it is none yet. */
export function ruleOf(
  fields: IRuleFields,
  now: Date,
  trans: TranslationBundle
): { rule: NewRule } | { problem: string } {
  const what = fields.what.trim();
  if (!what) {
    return { problem: trans.__('Say what the rule is about.') };
  }
  const days = fields.days.trim() === '' ? null : Number(fields.days);
  if (days !== null && !(Number.isFinite(days) && days > 0)) {
    return { problem: trans.__('Days are a number above 0, or nothing.') };
  }
  const argv = wordsOf(what);
  if (fields.kind === 'command' && argv === null) {
    return { problem: trans.__('A quote in the command is not closed.') };
  }
  return {
    rule: {
      effect: fields.effect,
      action: actionOf(fields, what, argv ?? []),
      agent: fields.agent.trim() || null,
      folder: fields.folder.trim() || null,
      expires_at: days === null ? null : new Date(now.getTime() + days * DAY_MS).toISOString(),
      note: fields.note.trim()
    }
  };
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
  const { action, agent, effect, folder, note } = rule;
  const plain = { ...EMPTY_RULE, effect, agent: agent ?? '', folder: folder ?? '', days, note };
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
export function actionText(
  { action }: Pick<ApprovalRule, 'action'>,
  trans: TranslationBundle
): string {
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

/** For whom and where: "Researcher, in data", "every agent, everywhere". */
export function scopeText(rule: ApprovalRule, trans: TranslationBundle): string {
  const who =
    rule.agent === null
      ? trans.__('every agent')
      : rule.agent === ''
        ? trans.__('without an agent')
        : rule.agent;
  const where =
    rule.folder === null ? trans.__('everywhere') : trans.__('in %1', rule.folder || '/');
  return trans.__('%1, %2', who, where);
}
