/**
 * The usual fields of a play as a form has them: from its front matter and back. `draftChecks.ts` checks them. Pure.
 */
import type { PlayDetail } from '../../../api/types';
import type { Ending, Trigger } from './graph';

export const SCHEDULES = ['', 'interval', 'cron', 'daily', 'weekly'] as const;
export const TRIGGERS = [
  'on_complete',
  'file_changed',
  'goal_behind',
  'agent_message',
  'agent_started',
  'agent_stopped',
  'startup',
  'webhook'
] as const satisfies readonly Trigger['type'][];

export interface IScheduleDraft {
  type: (typeof SCHEDULES)[number];
  every: string;
  cron: string;
  at: string;
  days: string;
  timezone: string;
  hours: string;
}

/** What a trigger does not need is empty; an empty `play` means any other play, an empty `metric` any goal. */
export interface ITriggerDraft {
  type: Trigger['type'];
  play: string;
  status: Ending;
  metric: string;
  agent: string;
  path: string;
}

/** The values of the form: texts, also for numbers. `tools` null: a list that the form cannot show. */
export interface IPlayDraft {
  title: string;
  agent: string;
  category: string;
  seconds: string;
  /** The name of the chats to which the answer goes. */
  postTo: string;
  tools: string | null;
  schedule: IScheduleDraft;
  triggers: readonly ITriggerDraft[];
}

export const NO_SCHEDULE: IScheduleDraft = {
  type: '',
  every: '',
  cron: '',
  at: '',
  days: '',
  timezone: '',
  hours: ''
};
export const EMPTY_PLAY: IPlayDraft = {
  title: '',
  agent: '',
  category: '',
  seconds: '',
  postTo: '',
  tools: '',
  schedule: NO_SCHEDULE,
  triggers: []
};

/** The first values of the form. The triggers of a play with an error are unknown: its file has to be changed. */
export function draftOf({ fields, triggers }: Pick<PlayDetail, 'fields' | 'triggers'>): IPlayDraft {
  const given: Record<string, unknown> = fields;
  const { tools } = given;
  return {
    title: text(given.title),
    agent: text(given.agent),
    category: text(given.category),
    seconds: text(given.timeout_seconds ?? given.timeoutSeconds ?? given.timeout),
    postTo: text(given.post_to),
    tools:
      tools === undefined || tools === null
        ? ''
        : Array.isArray(tools) && tools.length > 0 && tools.every(each => typeof each === 'string')
          ? tools.join(', ')
          : null,
    schedule: scheduleOf(given.schedule ?? scheduleInTriggers(given.triggers)),
    triggers: triggers.map(triggerDraft)
  };
}

/** What is sent to make one draft of the other: null removes a field. */
export function changes(
  before: IPlayDraft,
  after: IPlayDraft,
  raw: object
): Record<string, unknown> {
  const was = valuesOf(before, raw);
  const is = valuesOf(after, raw);
  const changed = Object.entries(is).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name])
  );
  const names = new Set(changed.map(([name]) => name));
  const { schedule, triggers } = raw as { schedule?: unknown; triggers?: unknown };
  // A schedule that a trigger holds becomes a field of the play when either is changed: neither may get lost.
  if (
    !schedule &&
    scheduleInTriggers(triggers) &&
    (names.has('schedule') || names.has('triggers'))
  ) {
    return { ...Object.fromEntries(changed), schedule: is.schedule, triggers: is.triggers };
  }
  return Object.fromEntries(changed);
}

export function newTrigger(type: Trigger['type']): ITriggerDraft {
  return { type, play: '', status: 'succeeded', metric: '', agent: '', path: '' };
}

// --- to front matter --------------------------------------------------------------------------

function valuesOf(draft: IPlayDraft, raw: object): Record<string, unknown> {
  const { agent, category, postTo, schedule, seconds, title, tools } = draft;
  // Without a schedule there is nothing that the trigger of this type could wait for.
  const triggers = draft.triggers.filter(({ type }) => type !== 'schedule' || schedule.type !== '');
  return {
    title: title.trim() || null,
    agent: agent.trim() || null,
    category: category.trim() || null,
    timeout_seconds: seconds.trim() ? Number(seconds) : null,
    post_to: postTo.trim() || null,
    ...(tools !== null && { tools: tools.trim() ? listOf(tools) : null }),
    schedule: scheduleValue(schedule, (raw as { schedule?: unknown }).schedule),
    triggers: triggers.length ? triggers.map(triggerValue) : null
  };
}

const ASKED = {
  interval: ['every'],
  cron: ['cron'],
  daily: ['at'],
  weekly: ['days', 'at']
} as const;
/** Fields of a schedule that the form knows; others stay as they are. */
const KNOWN = new Set(['type', 'every', 'cron', 'at', 'days', 'timezone', 'active_hours']);

function scheduleValue(draft: IScheduleDraft, raw: unknown): Record<string, unknown> | null {
  if (draft.type === '') {
    return null;
  }
  const others = Object.entries(isGroup(raw) ? raw : {}).filter(
    ([name]) => !KNOWN.has(name) && name !== 'activeHours'
  );
  return {
    type: draft.type,
    ...Object.fromEntries(
      ASKED[draft.type].map(name => [
        name,
        name === 'days' ? listOf(draft.days) : draft[name].trim()
      ])
    ),
    ...(draft.timezone.trim() && { timezone: draft.timezone.trim() }),
    ...(draft.hours.trim() && { active_hours: draft.hours.trim() }),
    ...Object.fromEntries(others)
  };
}

function triggerValue(draft: ITriggerDraft): Record<string, string> {
  const [agent, metric] = [draft.agent.trim(), draft.metric.trim()];
  switch (draft.type) {
    case 'on_complete':
      return {
        type: draft.type,
        ...(draft.play.trim() && { play: draft.play.trim() }),
        ...(draft.status === 'failed' && { status: draft.status })
      };
    case 'goal_behind':
      return { type: draft.type, ...(metric && { metric }), ...(agent && { agent }) };
    case 'file_changed':
      return { type: draft.type, path: draft.path.trim() };
    default: // the others have at most an agent
      return { type: draft.type, ...(agent && { agent }) };
  }
}

// --- from front matter ------------------------------------------------------------------------

/** Other installations write the schedule into a trigger. Undefined: no trigger has one. */
function scheduleInTriggers(triggers: unknown): unknown {
  const groups = (Array.isArray(triggers) ? triggers : []).filter(isGroup);
  const found = groups.flatMap((group): (string | Record<string, unknown>)[] => {
    const inner = group.type === 'schedule' ? group : group.schedule;
    return isGroup(inner)
      ? [{ ...inner, type: undefined }]
      : typeof inner === 'string'
        ? [inner]
        : [];
  });
  return found.find(each => typeof each === 'string' || typeOf(each) !== '');
}

/** By the field that a schedule without a type has, as the server reads it. */
function typeOf(given: Record<string, unknown>): IScheduleDraft['type'] {
  const named = SCHEDULES.find(each => each && each === given.type);
  if (named) {
    return named === 'daily' && given.days ? 'weekly' : named;
  }
  return given.cron
    ? 'cron'
    : given.every
      ? 'interval'
      : given.days
        ? 'weekly'
        : given.at
          ? 'daily'
          : '';
}

function scheduleOf(raw: unknown): IScheduleDraft {
  if (typeof raw === 'string') {
    const isInterval = /^(every\b|\d+\s*[mhd]$|daily$)/i.test(raw.trim());
    return {
      ...NO_SCHEDULE,
      ...(isInterval ? { type: 'interval', every: raw } : { type: 'cron', cron: raw })
    };
  }
  const given = isGroup(raw) ? raw : {};
  const { days } = given;
  return {
    type: typeOf(given),
    every: text(given.every),
    cron: text(given.cron),
    at: text(given.at),
    days: Array.isArray(days) ? days.map(text).join(', ') : text(days),
    timezone: text(given.timezone),
    hours: text(given.active_hours ?? given.activeHours)
  };
}

function triggerDraft(trigger: Trigger): ITriggerDraft {
  const given = Object.entries(trigger).filter(([, value]) => value !== null);
  return { ...newTrigger(trigger.type), ...Object.fromEntries(given) };
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function listOf(words: string): string[] {
  return words
    .split(',')
    .map(each => each.trim())
    .filter(Boolean);
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
