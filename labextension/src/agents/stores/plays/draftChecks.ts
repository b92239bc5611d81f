/**
 * Checks the fields of a play while a person fills in its form. What only the server can know, such as whether an
 * expression is ever due, it says itself. Pure.
 */
import { checkHeartbeat } from '../newAgentRules';
import type { IPlayDraft, IScheduleDraft, ITriggerDraft } from './draft';

/** By the server's names of fields: `title`, `schedule.every`, `triggers[1].path`. Codes of `WRONG_PLAY`, or sentences. */
export type Wrong = Readonly<Record<string, string>>;

export const WRONG_PLAY = {
  taken: 'play_taken',
  body: 'body',
  untitled: 'untitled',
  long: 'long',
  seconds: 'seconds',
  every: 'every',
  cron: 'cron',
  time: 'time',
  days: 'days',
  path: 'path'
} as const;

const LONGEST_TITLE = 200;
const MOST_SECONDS = 86_400;
const TIME = /^([01]?\d|2[0-3]):[0-5]\d$/;
const GROUP = 'weekdays|weekends|daily';
const DAY = 'mon(day)?|tue(s|sday)?|wed(nesday)?|thu(r|rs|rsday)?|fri(day)?|sat(urday)?|sun(day)?';
const DAYS = new RegExp(`^(${GROUP}|(${DAY})([-–](${DAY}))?)$`, 'i');

/** What is wrong with the fields; empty if nothing is. */
export function wrongIn(draft: IPlayDraft): Wrong {
  const { schedule, seconds, title, triggers } = draft;
  const found: [string, string | null][] = [
    ['title', title.trim().length <= LONGEST_TITLE ? null : WRONG_PLAY.long],
    ['timeout_seconds', checkSeconds(seconds.trim())],
    ...checkSchedule(schedule),
    ...triggers.flatMap((trigger, index) =>
      checkTrigger(trigger).map(([name, wrong]): [string, string | null] => [
        `triggers[${index + 1}].${name}`,
        wrong
      ])
    )
  ];
  return Object.fromEntries(found.filter((each): each is [string, string] => each[1] !== null));
}

function checkSeconds(value: string): string | null {
  const isNumber = /^\d+(\.\d+)?$/.test(value) && +value >= 1 && +value <= MOST_SECONDS;
  return !value || isNumber ? null : WRONG_PLAY.seconds;
}

function checkSchedule(schedule: IScheduleDraft): [string, string | null][] {
  const { at, cron, days, every } = schedule;
  const time: [string, string | null] = [
    'schedule.at',
    TIME.test(at.trim()) ? null : WRONG_PLAY.time
  ];
  switch (schedule.type) {
    case 'interval': {
      const length = every.trim().replace(/^every\s+/i, '');
      return [['schedule.every', checkHeartbeat(`every ${length}`) && WRONG_PLAY.every]];
    }
    case 'cron':
      return [['schedule.cron', isExpression(cron) ? null : WRONG_PLAY.cron]];
    case 'daily':
      return [time];
    case 'weekly': {
      const parts = days.split(/[\s,]+/).filter(Boolean);
      const isRight = parts.length > 0 && parts.every(each => DAYS.test(each));
      return [['schedule.days', isRight ? null : WRONG_PLAY.days], time];
    }
    default:
      return [];
  }
}

function isExpression(cron: string): boolean {
  const isInterval = /^every\b/i.test(cron.trim()) || !/[\s@]/.test(cron.trim());
  return !isInterval && checkHeartbeat(cron) === null;
}

function checkTrigger({ path, type }: ITriggerDraft): [string, string | null][] {
  const isRight = type !== 'file_changed' || isBelowTheRoot(path.trim());
  return [['path', isRight ? null : WRONG_PLAY.path]];
}

function isBelowTheRoot(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..');
}
