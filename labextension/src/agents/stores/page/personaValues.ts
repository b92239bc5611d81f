/**
 * What the form of a persona shows of each field or group of fields, and what it saves of them. Pure.
 */
import { type Names, namesIn } from './nameList';
import { checkGoals, goalFields, goalsIn, goalsText, type IGoalRow } from './goalRows';
import { checkText, type Fields, fieldText, valueOf } from './personaText';
import {
  checkSchedule,
  heartbeatOf,
  type ISchedule,
  isSameSchedule,
  scheduleFields,
  scheduleIn
} from './schedule';
import { allowedIn, type ITools, toolFields, toolsIn } from './tools';

/** By the names of fields; codes of `WRONG`. */
export type WrongFields = Readonly<Record<string, string>>;

/** What is more than a text. */
export interface IGroups {
  goals: readonly IGoalRow[];
  schedule: ISchedule;
  skills: Names;
  tool_servers: Names;
  tools: ITools;
}

/** How a value of the form is read from front matter and written there. */
interface IKind<T> {
  /** Null: a form cannot show it. */
  read: (fields: Fields) => T | null;
  /** What is saved; null removes a field. */
  fields: (value: T, before: Fields) => Record<string, unknown>;
  isSame: (value: T, other: T) => boolean;
  /** In one line. */
  text: (value: T) => string;
  wrong: (value: T) => WrongFields;
}

const GROUPS: { readonly [Name in keyof IGroups]: IKind<IGroups[Name]> } = {
  goals: { read: goalsIn, fields: goalFields, isSame: isEqual, text: goalsText, wrong: checkGoals },
  schedule: {
    read: scheduleIn,
    fields: scheduleFields,
    isSame: isSameSchedule,
    text: heartbeatOf,
    wrong: schedule => named('schedule', checkSchedule(schedule))
  },
  skills: namesKind('skills'),
  tool_servers: namesKind('tool_servers'),
  tools: {
    read: toolsIn,
    fields: toolFields,
    isSame: isEqual,
    text: tools => allowedIn(tools).join(', '),
    wrong: () => ({})
  }
};

/** What is kept in the form under `name`: a group, else a field with a text. */
export function kindOf(name: string): IKind<unknown> {
  const kind = (GROUPS as Readonly<Record<string, unknown>>)[name] ?? textKind(name);
  return kind as IKind<unknown>;
}

/** An agent without such names has no such field. */
function namesKind(field: string): IKind<Names> {
  return {
    read: fields => namesIn(fields, field),
    fields: names => ({ [field]: names.length ? names : null }),
    isSame: isEqual,
    text: names => names.join(', '),
    wrong: () => ({})
  };
}

function textKind(name: string): IKind<string> {
  return {
    read: fields => fieldText(fields, name),
    fields: text => ({ [name]: valueOf(name, text) }),
    isSame: isEqual,
    text: text => text,
    wrong: text => named(name, checkText(name, text))
  };
}

function named(name: string, wrong: string | null): WrongFields {
  return wrong === null ? {} : { [name]: wrong };
}

function isEqual(value: unknown, other: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(other);
}
