import { readFileSync } from 'fs';
import { join } from 'path';

import { WRONG } from '../newAgentRules';
import { checkGoals, goalFields, goalsIn, goalsText, NEW_GOAL } from './goalRows';
import { canonical, checkText, timeZones } from './personaText';
import {
  checkSchedule,
  heartbeatOf,
  type ISchedule,
  scheduleFields,
  scheduleIn,
  scheduleOf,
  withKind
} from './schedule';
import { allowedIn, listedTools, toolFields, TOOLS_OF, toolsIn, withSet, withTool } from './tools';

interface ICases {
  spellings: Record<string, string[]>;
  tools: Record<string, string[]>;
  schedules: Record<string, ISchedule['kind']>;
  time_zones: { accepted: string[]; refused: string[] };
}

const file = join(__dirname, '../../../../../tests/fixtures/rules/persona.json');
const cases = JSON.parse(readFileSync(file, 'utf8')) as ICases;

describe('fields of a persona', () => {
  it('have one name, however the file spells them', () => {
    for (const [name, spellings] of Object.entries(cases.spellings)) {
      expect(spellings.map(each => Object.keys(canonical({ [each]: 1 })))).toEqual(
        spellings.map(() => [name])
      );
    }
  });

  it('have a time zone that is known', () => {
    const check = (zone: string) => checkText('timezone', zone);
    expect(cases.time_zones.accepted.filter(check)).toEqual([]);
    expect(cases.time_zones.refused.filter(zone => check(zone) !== WRONG.zone)).toEqual([]);
    expect([check(''), checkText('role', 'Berlin')]).toEqual([null, null]);
    expect(timeZones()).toContain('UTC');
    expect(new Set(timeZones()).size).toBe(timeZones().length);
  });
});

describe('the schedule of an agent', () => {
  const of = (heartbeat: string) => scheduleIn({ heartbeat })!;

  it.each(Object.entries(cases.schedules))('%s is shown as %s, and says the same', (text, kind) => {
    const schedule = of(text);
    expect([schedule.kind, checkSchedule(schedule)]).toEqual([kind, null]);
    expect(scheduleFields(schedule, { heartbeat: text })).toEqual({});
    expect(scheduleOf(heartbeatOf(schedule))).toMatchObject({
      ...schedule,
      cron: expect.any(String)
    });
  });

  it('is written as the server reads it', () => {
    const before = { heartbeat: '@weekly' };
    const saved = (change: Partial<ISchedule>) =>
      scheduleFields({ ...of('@weekly'), ...change }, before).heartbeat;
    expect(saved({ kind: 'interval', count: '15', unit: 'm' })).toBe('every 15m');
    expect(saved({ kind: 'daily', time: '09:05' })).toBe('5 9 * * *');
    expect(saved({ kind: 'weekdays', time: '17:30' })).toBe('30 17 * * 1-5');
    expect(saved({ cron: ' 0 8 1 * * ' })).toBe('0 8 1 * *');
  });

  it('is switched off and on without another heartbeat, and is that of the server where none is written', () => {
    expect(scheduleIn({})).toMatchObject({ kind: 'daily', time: '08:00' });
    const off = { heartbeat: '0 9 * * *', heartbeatEnabled: false };
    const schedule = scheduleIn(off)!;
    expect(schedule).toMatchObject({ kind: 'none', time: '09:00' });
    expect(scheduleFields(withKind(schedule, 'daily'), off)).toEqual({ heartbeat_enabled: true });
    expect(scheduleFields(withKind(of('0 9 * * *'), 'none'), { heartbeat: '0 9 * * *' })).toEqual({
      heartbeat_enabled: false
    });
    expect(scheduleIn({ heartbeat: ['8'] as unknown as string })?.kind).toBe('cron');
    expect(scheduleIn({ heartbeat: {} })).toBeNull();
  });

  it('becomes an expression of what it was, and says what is wrong', () => {
    expect(withKind(of('0 9 * * 1-5'), 'cron').cron).toBe('0 9 * * 1-5');
    expect(checkSchedule({ ...of('every 4h'), count: '' })).toBe(WRONG.count);
    expect(checkSchedule({ ...of('0 8 * * *'), time: '' })).toBe(WRONG.time);
    expect(checkSchedule({ ...of('@weekly'), cron: 'often' })).toBe(WRONG.heartbeat);
    expect(checkSchedule({ ...of('@weekly'), kind: 'none', cron: 'often' })).toBeNull();
  });
});

describe('the tools of an agent', () => {
  it('are those of the server’s sets', () => {
    expect(TOOLS_OF).toEqual(cases.tools);
  });

  it('are read as they are written, and keep what is not known here', () => {
    expect(toolsIn({})).toEqual({ set: '', allowed: [] });
    expect(toolsIn({ tool_preset: 'potato' })).toEqual({ set: 'none', allowed: [] });
    const brought = toolsIn({ allowedTools: ['mcp__db__query', 'Read'] })!;
    expect(brought).toEqual({ set: 'custom', allowed: ['mcp__db__query', 'Read'] });
    expect(listedTools(brought)).toContain('mcp__db__query');
    expect(toolsIn({ allowed_tools: 'Read' })).toBeNull();
    expect(toolsIn({ tool_preset: 'coding', allowed_tools: ['Read'] })).toBeNull();
    expect(toolsIn({ tool_preset: 'custom' })).toBeNull();
  });

  it('are chosen one by one from those of a set, in the order of the file', () => {
    const before = toolsIn({ tool_preset: 'coding' })!;
    const withoutShell = withTool(before, 'Bash', false, before);
    expect(allowedIn(withoutShell)).toEqual(allowedIn(before).filter(each => each !== 'Bash'));
    expect(toolFields(withoutShell, { tool_preset: 'coding' })).toEqual({
      allowed_tools: withoutShell.allowed,
      tool_preset: null
    });
    const mine = { set: 'custom' as const, allowed: ['Write', 'x', 'Read'] };
    expect(withTool(withTool(mine, 'x', false, mine), 'x', true, mine)).toEqual(mine);
    expect(toolFields(mine, { tool_preset: 'custom' })).toEqual({ allowed_tools: mine.allowed });
  });

  it('of no choice are none, and a set replaces the list', () => {
    const one = toolsIn({ allowed_tools: ['Read'] })!;
    const none = withTool(one, 'Read', false, one);
    expect(toolFields(none, { allowed_tools: ['Read'] })).toMatchObject({ allowed_tools: [] });
    expect(toolFields(withSet(one, 'full'), {})).toEqual({
      allowed_tools: null,
      tool_preset: 'full'
    });
    expect(toolFields(withSet(one, ''), {})).toEqual({ allowed_tools: null, tool_preset: null });
    expect(withSet(withSet(one, 'messaging'), 'custom').allowed).toEqual(TOOLS_OF.messaging);
  });
});

describe('the goals of an agent', () => {
  const articles = { metric: 'articles', target: 8, floor: 2, unit: 'pages' };

  it('keep what the form does not show', () => {
    const rows = goalsIn({ goals: [articles] })!;
    expect(rows[0]).toMatchObject({ metric: 'articles', target: '8', period: 'weekly' });
    const changed = [
      { ...rows[0], target: '9.5', period: 'daily' },
      { ...NEW_GOAL, metric: 'x', target: '1' }
    ];
    expect(goalFields(changed)).toEqual({
      goals: [
        { ...articles, target: 9.5, period: 'daily' },
        { metric: 'x', target: 1, period: 'weekly' }
      ]
    });
    expect(goalsText(rows)).toBe('articles: 8 pages weekly');
    expect(goalFields([])).toEqual({ goals: null });
    expect([goalsIn({}), goalsIn({ goals: 'many' }), goalsIn({ goals: ['x'] })]).toEqual([
      [],
      null,
      null
    ]);
  });

  it('are refused by row and column', () => {
    const [row] = goalsIn({ goals: [articles] })!;
    expect(
      checkGoals([row, { ...NEW_GOAL, target: 'many', unit: 'u'.repeat(51), period: 'yearly' }])
    ).toEqual({
      'goals[2].metric': WRONG.metric,
      'goals[2].target': WRONG.target,
      'goals[2].unit': WRONG.unit,
      'goals[2].period': WRONG.period
    });
    expect(checkGoals([row, row])).toEqual({ 'goals[2].metric': WRONG.metricTwice });
  });
});
