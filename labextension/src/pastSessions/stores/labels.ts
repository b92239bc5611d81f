/**
 * What sessions, their grades and their entries are called. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type {
  CliSession,
  Project,
  RequestedAction,
  RuntimeRow,
  TimelineEntry,
  UsageRow
} from '../../api/types';
import { duration } from '../../shared/time';

/** Days whose usage is shown. */
export const USAGE_DAYS = 30;

export const GRADES = ['A', 'B', 'C', 'D', 'F'] as const;

export function titleOf({ marks, title }: CliSession, trans: TranslationBundle): string {
  return marks.alias || title || trans.__('Untitled session');
}

/** Why a session has its grade, a line for each reason. */
export function gradeText({ grade, reasons }: CliSession, trans: TranslationBundle): string {
  const head = trans.__('Grade %1', grade ?? '');
  return [head, ...(reasons.length ? reasons : [trans.__('No problems were found.')])].join('\n');
}

/** From its first entry to its last one; empty if they have no time. */
export function lengthText({ ended_at, started_at }: CliSession, trans: TranslationBundle): string {
  return started_at === null || ended_at === null ? '' : duration(ended_at - started_at, trans);
}

/** The innermost project that contains a folder of the server's root; null: there is none. */
export function projectWith(folder: string, projects: readonly Project[]): Project | null {
  const depth = ({ path }: Project) => (path === '.' ? 0 : path!.length);
  return projects
    .filter(({ path }) => path !== null && `${folder}/`.startsWith(path === '.' ? '' : `${path}/`))
    .reduce<Project | null>(
      (best, each) => (best && depth(best) >= depth(each) ? best : each),
      null
    );
}

/** Which of its branches is shown. `branch`: empty for the last one. */
export function branchText(branch: string, branches: number, trans: TranslationBundle): string {
  return branch
    ? trans.__('an earlier one of %1 branches', branches)
    : trans.__('the last of %1 branches', branches);
}

/** Why a session cannot be continued on this server; null: it can. */
export function whyNotContinued(session: CliSession, trans: TranslationBundle): string | null {
  if (session.path === null) {
    return session.cwd
      ? trans.__(
          'It worked in %1, which is outside the root folder of this server. To continue it, start JupyterLab in that folder.',
          session.cwd
        )
      : trans.__('The folder where it worked is not known.');
  }
  return null;
}

/** Whether a runtime works in the session itself, as its CLI does, and needs no summary. */
export function worksInSession({ is_gone, runtime }: CliSession, row: WorksIn): boolean {
  return !is_gone && (row.sessions_of || row.name) === runtime;
}

/**
 * The names of the runtimes that can continue a session. Those that work in the session itself come first, beginning with
 * the one that did so last. The others receive a summary; if the transcript is gone, only they are offered. `found`: the
 * runtimes of the server; `last`: the runtime of the last run in the session.
 */
export function continuingRuntimes(
  session: CliSession,
  found: readonly WorksIn[],
  last: string | null = null
): string[] {
  const rank = (row: WorksIn) =>
    !worksInSession(session, row)
      ? 3
      : row.name === last
        ? 0
        : row.name === session.runtime
          ? 1
          : 2;
  const isOffered = (row: WorksIn) =>
    !session.is_gone || (row.sessions_of || row.name) !== session.runtime;
  return found
    .filter(isOffered)
    .sort((one, other) => rank(one) - rank(other))
    .map(({ name }) => name);
}

type WorksIn = Pick<RuntimeRow, 'name' | 'sessions_of'>;

export function kindLabel(
  { kind, side }: Pick<TimelineEntry, 'kind' | 'side'>,
  trans: TranslationBundle
): string {
  const words: Record<TimelineEntry['kind'], string> = {
    user: trans.__('Instruction'),
    assistant: trans.__('Answer'),
    thinking: trans.__('Thinking'),
    tool_call: trans.__('Tool call'),
    tool_result: trans.__('Tool result'),
    error: trans.__('Error'),
    retry: trans.__('Retry'),
    compaction: trans.__('Context compacted'),
    model_change: trans.__('Model'),
    attachment: trans.__('Attachment'),
    other: trans.__('Other entry')
  };
  const label = words[kind];
  return side ? trans.__('%1 (sub-agent)', label) : label;
}

/** One line of what a call did: the command, the files, the address. */
export function actionGist(action: RequestedAction | null | undefined): string {
  if (!action) {
    return '';
  }
  switch (action.type) {
    case 'command':
      return (action.text || action.argv.join(' ')).trim().split('\n')[0];
    case 'edit':
      return action.paths.join(', ');
    case 'fetch':
      return action.url || action.query;
    case 'tool':
      return action.paths.join(', ') || (action.arguments[0]?.value ?? '').split('\n')[0];
    case 'choice':
      return action.questions[0]?.question ?? '';
  }
}

export interface IDay {
  /** "2026-11-21", in UTC. */
  day: string;
  tokens: number;
  /** Null: no CLI has reported one. */
  cost: number | null;
}

/** Tokens and cost of each of the last days until `now`, oldest first. */
export function usageByDay(rows: readonly UsageRow[], now: Date): IDay[] {
  const days = new Map<string, IDay>();
  for (let ago = USAGE_DAYS - 1; ago >= 0; ago--) {
    const day = new Date(now.getTime() - ago * 86_400_000).toISOString().slice(0, 10);
    days.set(day, { day, tokens: 0, cost: null });
  }
  for (const { cost_usd, day, usage } of rows) {
    const before = days.get(day);
    if (!before) {
      continue; // a part of the day before the first one
    }
    const { cost, tokens } = before;
    const sum = Object.values(usage).reduce((total, count) => total + (count ?? 0), 0);
    days.set(day, {
      day,
      tokens: tokens + sum,
      cost: cost_usd === null ? cost : (cost ?? 0) + cost_usd
    });
  }
  return [...days.values()];
}
