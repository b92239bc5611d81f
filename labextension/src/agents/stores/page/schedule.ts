/**
 * When an agent wakes, as a form has it: from its heartbeat and back. Pure.
 */
import { checkHeartbeat, WRONG } from '../newAgentRules';
import { canonical, type Fields, fieldText } from './personaText';

export const SCHEDULE_KINDS = ['none', 'interval', 'daily', 'weekdays', 'cron'] as const;
export const UNITS = ['m', 'h', 'd'] as const;
export type ScheduleKind = (typeof SCHEDULE_KINDS)[number];

/** What its kind does not need keeps a value that is offered when the kind is chosen. */
export interface ISchedule {
  kind: ScheduleKind;
  /** Of an interval. */
  count: string;
  unit: (typeof UNITS)[number];
  /** Of a day, such as `08:00`. */
  time: string;
  cron: string;
}

/** As the server has it for a persona that says nothing. */
const DEFAULT_HEARTBEAT = '0 8 * * *';
const OFFERED: ISchedule = {
  kind: 'daily',
  count: '4',
  unit: 'h',
  time: '08:00',
  cron: DEFAULT_HEARTBEAT
};

/** Null: its heartbeat is none that a form can show. */
export function scheduleIn(fields: Fields): ISchedule | null {
  const heartbeat = fieldText(fields, 'heartbeat');
  if (heartbeat === null) {
    return null;
  }
  const schedule = scheduleOf(heartbeat.trim() || DEFAULT_HEARTBEAT);
  const isOff = canonical(fields).heartbeat_enabled === false;
  return isOff ? { ...schedule, kind: 'none' } : schedule;
}

export function scheduleOf(heartbeat: string): ISchedule {
  const interval = /^(?:every\s+)?(?:(\d{1,6})\s*([mhd])|daily)$/i.exec(heartbeat);
  if (interval) {
    const unit = (interval[2] ?? 'd').toLowerCase() as ISchedule['unit'];
    return { ...OFFERED, kind: 'interval', count: String(+(interval[1] ?? 1)), unit };
  }
  const cron = /^@(daily|midnight)$/i.test(heartbeat) ? '0 0 * * *' : heartbeat;
  const day = /^(\d{1,2})\s+(\d{1,2})\s+\*\s+\*\s+(\*|1-5|mon-fri)$/i.exec(cron);
  const kept = { ...OFFERED, cron: heartbeat };
  if (!day || +day[1] > 59 || +day[2] > 23) {
    return { ...kept, kind: 'cron' };
  }
  const time = `${day[2].padStart(2, '0')}:${day[1].padStart(2, '0')}`;
  return { ...kept, kind: day[3] === '*' ? 'daily' : 'weekdays', time };
}

/** Another kind of schedule; as an expression it begins with what it was. */
export function withKind(schedule: ISchedule, kind: ScheduleKind): ISchedule {
  const isDay = schedule.kind === 'daily' || schedule.kind === 'weekdays';
  const cron = kind === 'cron' && isDay ? heartbeatOf(schedule) : schedule.cron;
  return { ...schedule, kind, cron };
}

/** As the front matter has it. */
export function heartbeatOf({ count, cron, kind, time, unit }: ISchedule): string {
  const [hours, minutes] = time.split(':').map(Number);
  switch (kind) {
    case 'none':
      return '';
    case 'interval':
      return `every ${count.trim()}${unit}`;
    case 'daily':
      return `${minutes} ${hours} * * *`;
    case 'weekdays':
      return `${minutes} ${hours} * * 1-5`;
    case 'cron':
      return cron.trim();
  }
}

/** Whether two forms say the same, whatever they keep of other kinds. */
export function isSameSchedule(one: ISchedule, other: ISchedule): boolean {
  return one.kind === other.kind && heartbeatOf(one) === heartbeatOf(other);
}

/** What is saved. A heartbeat that is only switched off or on stays as it is written. */
export function scheduleFields(schedule: ISchedule, before: Fields): Record<string, unknown> {
  const was = scheduleIn(before);
  if (schedule.kind === 'none') {
    return { heartbeat_enabled: false };
  }
  const heartbeat = heartbeatOf(schedule);
  const written = fieldText(before, 'heartbeat')?.trim() || DEFAULT_HEARTBEAT;
  const isSame = heartbeat === written || heartbeat === heartbeatOf(scheduleOf(written));
  return {
    ...(!isSame && { heartbeat }),
    ...(was?.kind === 'none' && { heartbeat_enabled: true })
  };
}

/** A code of `WRONG`; null for a schedule that the server should accept, unless it is never due. */
export function checkSchedule(schedule: ISchedule): string | null {
  switch (schedule.kind) {
    case 'none':
      return null;
    case 'interval':
      return checkHeartbeat(heartbeatOf(schedule)) && WRONG.count;
    case 'daily':
    case 'weekdays':
      return /^\d\d:\d\d$/.test(schedule.time) ? null : WRONG.time;
    case 'cron':
      return checkHeartbeat(schedule.cron);
  }
}
