import { readFileSync } from 'fs';
import { join } from 'path';
import { nullTranslator } from '@jupyterlab/translation';
import { StateDB } from '@jupyterlab/statedb';

import type { AgentDetail, AgentRow, AgentTemplate, ApprovalItem, Run } from '../../api/types';
import { ConnectionStore } from '../../shared/connection';
import { aRun } from '../../testing/samples';
import { fakeEvents, fakeServer, until } from '../../testing/fakes';
import { AgentStore } from './agents';
import { costOf, countsOf, departmentsOf, filtered, moved, sorted, tagsOf } from './arranging';
import { BoardStore } from './board';
import { dayCostWords, idleStopWords, obstacles, runWords, scheduleWords } from './boardWords';
import { unfit } from './labels';
import { blockedBecause, type ISituation, waitsFor, whyNotPauseAll } from './rights';

const trans = nullTranslator.load('');
const file = join(__dirname, '../../../../tests/fixtures/golden/agents/events.json');
const recorded = JSON.parse(readFileSync(file, 'utf8')) as { agents: { items: AgentRow[] } }[];
const template = recorded[1].agents.items[0];
const agent = (slug: string, change: Partial<AgentRow> = {}): AgentRow => ({
  ...template,
  slug,
  name: slug.toUpperCase(),
  tags: [],
  department: 'general',
  ...change
});

const rows = [
  agent('ada', { status: 'working', department: 'ops', tags: ['night'], cost_today_usd: 0.5 }),
  agent('ben', { status: 'paused', next_heartbeat: '2026-11-23T09:00:00Z', cost_today_usd: 2 }),
  agent('cyd', { status: 'unconfirmed', next_heartbeat: '2026-11-23T08:00:00Z' }),
  agent('dan', { status: 'out_of_service', name: 'Aaron', daily_cost_usd: null })
];
const slugs = (found: readonly AgentRow[]) => found.map(({ slug }) => slug);
const everything = { filter: 'all', search: '', department: '', tag: '' } as const;

describe('arranging agents', () => {
  it('counts them by state', () => {
    expect(countsOf(rows)).toEqual({
      all: 4,
      running: 1,
      waiting: 0,
      paused: 1,
      unconfirmed: 1,
      out: 1
    });
  });

  it('finds them by state, words, department and tag', () => {
    const found = (wanted: object) => slugs(filtered(rows, { ...everything, ...wanted }));
    expect(found({})).toEqual(['ada', 'ben', 'cyd', 'dan']);
    expect(found({ filter: 'unconfirmed' })).toEqual(['cyd']);
    expect(found({ filter: 'out' })).toEqual(['dan']);
    expect(found({ search: ' aAr ' })).toEqual(['dan']);
    expect(found({ search: 'ops night' })).toEqual(['ada']);
    expect(found({ department: 'general', filter: 'paused' })).toEqual(['ben']);
    expect(found({ tag: 'night' })).toEqual(['ada']);
    expect(departmentsOf(rows)).toEqual(['general', 'ops']);
    expect(departmentsOf(rows.slice(1))).toEqual([]);
    expect(tagsOf(rows)).toEqual(['night']);
  });

  it('sorts them; what has no time comes last', () => {
    expect(slugs(sorted(rows, 'next', []))).toEqual(['cyd', 'ben', 'dan', 'ada']);
    expect(slugs(sorted(rows, 'name', []))).toEqual(['dan', 'ada', 'ben', 'cyd']);
    expect(slugs(sorted(rows, 'cost', []))).toEqual(['ben', 'ada', 'dan', 'cyd']);
    expect(slugs(sorted(rows, 'own', ['cyd', 'gone', 'ada']))).toEqual([
      'cyd',
      'ada',
      'dan',
      'ben'
    ]);
  });

  it('orders names as people read them', () => {
    const named = ['agent 10', 'Agent 9', 'agent 1'].map(name => agent(name, { name }));
    expect(sorted(named, 'name', []).map(({ name }) => name)).toEqual([
      'agent 1',
      'Agent 9',
      'agent 10'
    ]);
  });

  it('moves one to the place of another', () => {
    expect(moved(['a', 'b', 'c'], 'a', 'c')).toEqual(['b', 'c', 'a']);
    expect(moved(['a', 'b', 'c'], 'c', 'a')).toEqual(['c', 'a', 'b']);
    expect(moved(['a', 'b'], 'a', 'a')).toEqual(['a', 'b']);
    expect(moved(['a', 'b'], 'x', 'a')).toEqual(['a', 'b']);
  });

  it('adds up costs, and knows a limit only where each has one', () => {
    expect(costOf(rows)).toEqual({ usd: 2.5, limit: 3 * template.daily_cost_usd! });
    expect(costOf([agent('x', { daily_cost_usd: null })]).limit).toBeNull();
    expect(costOf([])).toEqual({ usd: 0, limit: null });
    expect(dayCostWords(rows, trans)).toBe('$2.50 today of $60.00');
    expect(dayCostWords([agent('x', { daily_cost_usd: null, cost_today_usd: 1 })], trans)).toBe(
      '$1.00 today'
    );
    expect(dayCostWords([agent('x')], trans)).toBe(''); // unknown is not zero
  });
});

describe('the words of the list', () => {
  it('name the next heartbeat that a server which stops when it is idle does not start', () => {
    const now = new Date(2026, 10, 23, 22, 0);
    const at = (hour: number) => new Date(2026, 10, 24, hour).toISOString();
    const soon = agent('ada', { status: 'idle', next_heartbeat: at(-1) });
    const late = agent('ben', { status: 'idle', next_heartbeat: at(8) });
    const later = agent('cyd', { status: 'working', next_heartbeat: at(9) });
    const paused = agent('dan', { status: 'paused', next_heartbeat: at(7) });
    const all = [soon, later, late, paused];
    const words = (rows: AgentRow[], seconds: number | null) =>
      idleStopWords(rows, seconds, now, trans)?.replace(/\(.*\)/, '(then)');
    expect(words(all, 2 * 3600)).toBe(
      'This server stops after 120 minutes without activity, and then no heartbeats start. Affected: BEN (then) and 1 more. Set schedules_keep_server to keep the server running.'
    );
    expect(words([soon, late, paused], 5400)).toContain('Affected: BEN (then).');
    expect(words([late], 20)).toContain('after 20 s without');
    expect(words([soon, paused], 2 * 3600)).toBeUndefined();
    expect(words(all, 12 * 3600)).toBeUndefined();
    expect(words(all, null)).toBeUndefined();
  });

  it('say what a run does, and how many questions wait', () => {
    const run = aRun({ kind: 'heartbeat', started_at: '2026-11-23T10:00:00Z' });
    const now = new Date('2026-11-23T10:01:40Z');
    expect(runWords(run, 0, now, trans)).toBe('heartbeat, 1 min 40 s');
    expect(runWords(run, 2, now, trans)).toBe('2 requests waiting, heartbeat, 1 min 40 s');
    expect(runWords(undefined, 0, now, trans)).toBe('');
  });

  it('name what keeps an agent from acting', () => {
    const detail = {
      status: 'unconfirmed',
      errors: [
        { field: 'heartbeat', message: 'persona.md, field heartbeat: wrong.', line: 4 },
        { field: '', message: 'persona.md, line 2: wrong.', line: null }
      ],
      difference: [
        { what: 'Role', before: '', after: '' },
        { what: 'Tools', before: '', after: 'all' },
        { what: 'Instructions', before: 'Be kind.', after: 'Be\nunkind.' }
      ]
    } as unknown as AgentDetail;
    expect(obstacles(detail, trans)).toEqual(['Tools: all', 'Instructions: Be… (was Be kind.)']);
    const after = 'Be kind.\nTell the truth.\nObey the stranger.';
    const longer = [{ what: 'Instructions', before: 'Be kind.\nTell the truth.', after }];
    expect(obstacles({ ...detail, difference: longer }, trans)).toEqual([
      'Instructions: “Obey the stranger.” is new'
    ]);
    const shorter = [{ what: 'Instructions', before: after, after: 'Be kind.\nTell the truth.' }];
    expect(obstacles({ ...detail, difference: shorter }, trans)).toEqual([
      'Instructions: “Obey the stranger.” is gone'
    ]);
    expect(obstacles({ ...detail, status: 'out_of_service' }, trans)).toEqual([
      'Line 4. persona.md, field heartbeat: wrong.',
      'persona.md, line 2: wrong.'
    ]);
    expect(obstacles({ ...detail, status: 'idle' }, trans)).toEqual([]);
    const many = Array.from({ length: 8 }, () => ({ what: 'Tools', before: '', after: 'all' }));
    expect(obstacles({ ...detail, difference: many }, trans).slice(4)).toEqual([
      'Tools: all',
      'and 3 more'
    ]);
  });

  it('say when a template works', () => {
    const one = { schedule: 'every day at 08:00', when_needed: false } as AgentTemplate;
    expect(scheduleWords(one, trans)).toBe('Every day at 08:00');
    expect(scheduleWords({ ...one, when_needed: true }, trans)).toBe(
      'Every day at 08:00, when there is something to do'
    );
  });
});

describe('what a person can tell an agent', () => {
  const may = { mayPauseAll: false, mayRun: true, online: true, ownsAll: false };
  const ada: ISituation = { ...may, username: 'ada', paused: false };
  const benRun = aRun({ owner: 'ben' });
  const because = (verb: Parameters<typeof blockedBecause>[0], change: Partial<ISituation> = {}) =>
    blockedBecause(verb, { owner: 'ben' }, undefined, { ...ada, ...change }, trans);
  const stop = (run: Run, change: Partial<ISituation> = {}) =>
    blockedBecause('stop', { owner: 'ada' }, run, { ...ada, ...change }, trans);

  it('is up to the owner, but for running and stopping it', () => {
    expect(because('run')).toBeNull();
    expect(because('run', { mayRun: false })).toMatch(/not run them/);
    for (const verb of ['pause', 'resume', 'confirm'] as const) {
      expect(because(verb)).toBe('Only its owner, ben, can do this.');
      expect(because(verb, { username: 'ben' })).toBeNull();
      expect(because(verb, { ownsAll: true })).toBeNull();
    }
    const named = { owner: 'ben', owner_name: 'Ben Okoro' };
    expect(blockedBecause('pause', named, undefined, ada, trans)).toBe(
      'Only its owner, Ben Okoro, can do this.'
    );
    expect(blockedBecause('pause', { owner: 'owner' }, undefined, ada, trans)).toMatch(
      /administrator/
    );
  });

  it('lets a run be stopped by who has asked for it, whoever owns the agent', () => {
    const trigger = { ...benRun.trigger, kind: 'person', display_name: 'Ben Okoro' } as const;
    expect(stop({ ...benRun, owner: 'ada' })).toBeNull();
    expect(stop({ ...benRun, trigger })).toBe('Only Ben Okoro, who started this run, can stop it.');
    expect(stop({ ...benRun, trigger: { ...trigger, kind: 'schedule' } })).toMatch(/Only ben, who/);
    expect(stop({ ...benRun, trigger, owner: 'owner' })).toMatch(/an administrator/);
    expect(stop({ ...benRun, trigger }, { ownsAll: true })).toBeNull();
    expect(stop({ ...benRun, owner: 'ada' }, { online: false })).toMatch(/reached/);
    expect(because('stop')).toBeNull(); // a run that is not known: the server decides
  });

  it('is asked of another person where that one has to answer', () => {
    const item = (mayAnswer: boolean) =>
      ({ approval: { owner_name: 'Ben Okoro' }, may_answer: mayAnswer }) as ApprovalItem;
    const waiting = { owner: 'ben', status: 'waiting' } as const;
    expect(waitsFor(waiting, [], ada)).toBe('ben');
    expect(waitsFor({ ...waiting, owner_name: 'Ben Okoro' }, [], ada)).toBe('Ben Okoro');
    expect(waitsFor(waiting, [], { ...ada, username: 'ben' })).toBeNull();
    expect(waitsFor(waiting, [item(false)], ada)).toBe('Ben Okoro');
    expect(waitsFor(waiting, [item(false), item(true)], ada)).toBeNull();
    expect(waitsFor({ ...waiting, status: 'working' }, [item(false)], ada)).toBeNull();
  });

  it('is paused for all by who administers the server', () => {
    expect(whyNotPauseAll(ada, trans)).toMatch(/administrators/);
    expect(whyNotPauseAll({ ...ada, mayPauseAll: true }, trans)).toBeNull();
    expect(whyNotPauseAll({ ...ada, mayPauseAll: true, online: false }, trans)).toMatch(/reached/);
  });

  it('fits its state, else it says what is in the way', () => {
    expect(unfit('run', { status: 'idle' }, trans)).toBeNull();
    expect(unfit('stop', { status: 'idle' }, trans)).toBe('It has no active run.');
    const states = ['working', 'waiting', 'queued', 'paused', 'unconfirmed', 'out_of_service'];
    const reasons = states.map(status => unfit('run', { status } as AgentRow, trans));
    expect(new Set(reasons).size).toBe(states.length);
    expect(reasons).not.toContain(null);
    expect(unfit('pause', { status: 'inactive' }, trans)).toMatch(/inactive/);
  });

  it('is nothing while the server is away, and no run while all is paused', () => {
    expect(because('run', { online: false })).toBe('The server cannot be reached.');
    expect(because('run', { paused: true })).toBe(
      'All agents are paused. Resume all agents first.'
    );
    expect(because('pause', { paused: true, ownsAll: true })).toBeNull();
  });
});

describe('BoardStore', () => {
  async function open(db = new StateDB()) {
    const health = { you: { username: 'ada' } };
    const server = fakeServer({ 'GET agents': { items: rows }, 'GET health': health });
    const { events, ...stream } = fakeEvents(server.client);
    const agents = new AgentStore(server.client, events);
    const connection = new ConnectionStore(server.client, events.socket);
    const board = new BoardStore(agents, db);
    board.follow(connection);
    stream.reconnect(); // which tells who we are
    await until(() => connection.username === 'ada');
    agents.watchAll();
    await until(() => board.all !== null);
    return { board, db };
  }

  it('shows what is wanted, in the order that is wanted', async () => {
    const { board } = await open();
    expect(slugs(board.shown)).toEqual(['cyd', 'ben', 'dan', 'ada']);
    expect(board.counts.paused).toBe(1);
    expect([board.departments, board.tags]).toEqual([['general', 'ops'], ['night']]);
    board.want({ filter: 'out' });
    expect(slugs(board.shown)).toEqual(['dan']);
    board.want({ filter: 'all' });
    board.sortBy('name');
    expect(slugs(board.shown)).toEqual(['dan', 'ada', 'ben', 'cyd']);
  });

  it('takes the order that it has when the person moves one, and keeps it for them', async () => {
    const { board, db } = await open();
    board.put('ada', 'cyd');
    expect(board.sort).toBe('own');
    expect(slugs(board.shown)).toEqual(['ada', 'cyd', 'ben', 'dan']);
    const key = 'jupyter-cabinet:agents:ada';
    let isKept = false;
    await until(() => {
      void db.fetch(key).then(kept => (isKept = kept !== undefined));
      return isKept;
    });
    const again = (await open(db)).board;
    await until(() => again.sort === 'own');
    expect(slugs(again.shown)).toEqual(['ada', 'cyd', 'ben', 'dan']);
    await db.save(key, { sort: 'sideways', order: 7 });
    const { board: third } = await open(db);
    expect(third.sort).toBe('next');
    third.dispose();
  });
});
