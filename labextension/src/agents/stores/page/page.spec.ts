import { nullTranslator } from '@jupyterlab/translation';

import type { Run } from '../../../api/types';
import { MOST_ENDED, RunStore } from '../../../runs/stores/runs';
import { fakeEvents, fakeServer, refusal, until } from '../../../testing/fakes';
import { aRun } from '../../../testing/samples';
import { AgentRuns } from './history';
import { AgentPage } from './page';
import { whyNot } from '../rights';
import { fieldText } from './personaText';
import { directiveParts, effectLabel, gistOf, KINDS, kindWord, movesOf } from './words';

const trans = nullTranslator.load('');
const run = (change: Partial<Run>) => aRun({ agent: 'ada', kind: 'heartbeat', ...change });
const gets = (server: ReturnType<typeof fakeServer>, path: string) =>
  server.requests.filter(({ line }) => line.split('?')[0] === `GET ${path}`);

/** A page whose first answers are there. */
async function parts(runs: Run[] = [], next: string | null = null) {
  const server = fakeServer({
    'GET runs': { items: runs, next },
    'GET agents/ada/history': { items: [] },
    'GET agents/ada/inbox': { messages: [], read: [], problems: [] },
    'GET agents/ada/tasks': { tasks: [], problems: [] },
    'GET agents/ada/files': { items: [] },
    'GET plays': {
      items: [
        { slug: 'digest', agent: 'ada' },
        { slug: 'other', agent: 'ben' }
      ]
    }
  });
  const made = fakeEvents(server.client);
  const store = new RunStore(server.client, made.events);
  const page = new AgentPage(server.client, made.events, store, 'ada');
  await until(
    () => page.history.isRead && [page.inbox, page.tasks, page.plays].every(each => each.value)
  );
  const settle = async () => {
    await Promise.all([page.inbox.load(), page.tasks.load(), page.plays.load()]);
  };
  await settle();
  return { ...made, page, server, settle };
}

describe('a reading', () => {
  it('is asked for once more after a burst of events, and not for those of others', async () => {
    const { happen, page, server } = await parts();
    const before = gets(server, 'agents/ada/inbox').length;
    happen({ type: 'message_received', agent: 'ben' });
    expect(gets(server, 'agents/ada/inbox')).toHaveLength(before);
    server.answers['GET agents/ada/inbox'] = { messages: [{ id: 'm-1' }], read: [], problems: [] };
    for (let count = 0; count < 5; count++) {
      happen({ type: 'message_received', agent: 'ada', message_id: 'm-1' });
    }
    await until(() => page.inbox.value?.messages.length === 1);
    await page.inbox.load();
    expect(gets(server, 'agents/ada/inbox').length).toBeLessThanOrEqual(before + 3);
  });

  it('is read again after a gap, and keeps what it knew while the server is away', async () => {
    const { page, reconnect, server } = await parts();
    const known = page.tasks.value;
    const answer = server.answers['GET agents/ada/tasks'];
    delete server.answers['GET agents/ada/tasks'];
    await page.tasks.load();
    expect(page.tasks.value).toBe(known);
    expect(page.tasks.problem).toBeNull();
    server.answers['GET agents/ada/tasks'] = answer;
    const before = gets(server, 'agents/ada/tasks').length;
    reconnect();
    await until(() => gets(server, 'agents/ada/tasks').length > before);
  });

  it('says why it is refused', async () => {
    const { page, server } = await parts();
    server.answers['GET agents/ada/tasks'] = refusal(403, 'not_allowed', 'It is private.');
    await page.tasks.load();
    expect(page.tasks.problem).toBe('It is private.');
  });

  it('has the plays of this agent only, and stops with the page', async () => {
    const { happen, page, server, settle } = await parts();
    expect(page.plays.value?.map(({ slug }) => slug)).toEqual(['digest']);
    await settle();
    page.dispose();
    const before = server.requests.length;
    happen({ type: 'play_changed', play: 'digest' });
    happen({ type: 'task_changed', agent: 'ada' });
    expect(server.requests).toHaveLength(before);
  });
});

describe('the history', () => {
  const old = run({ id: 'old', number: 1, state: 'succeeded', revision: 3 });
  const now = run({ id: 'now', number: 2, state: 'running', revision: 5 });

  it('shows each run once, in its newest state, however events arrive', async () => {
    const { happen, page } = await parts([now, old]);
    const { history } = page;
    happen({ type: 'run_updated', run: { ...now, revision: 4, state: 'starting' } });
    expect(history.rows.map(({ state }) => state)).toEqual(['running', 'succeeded']);
    const begun = run({ id: 'new', number: 3, state: 'queued', revision: 1 });
    happen({ type: 'run_queued', run: begun });
    happen({ type: 'run_queued', run: begun });
    happen({ type: 'run_queued', run: { ...begun, id: 'theirs', agent: 'ben' } });
    expect(history.rows.map(({ id }) => id)).toEqual(['new', 'now', 'old']);
    happen({ type: 'run_finished', run: { ...now, state: 'failed', revision: 6 } });
    happen({ type: 'run_updated', run: now });
    expect(history.rows[1].state).toBe('failed');
  });

  it('has the heartbeats of other installations that fit the filter', async () => {
    const { page, server } = await parts([old]);
    const earlier = (status: string, summary: string) => ({
      timestamp: '2024-04-03T08:00:00Z',
      duration_seconds: 3,
      status,
      summary,
      run_id: null
    });
    server.answers['GET agents/ada/history'] = {
      items: [],
      earlier: [earlier('completed', 'Wrote the Report'), earlier('failed', 'No network')]
    };
    await page.history.beside.load();
    const shown = () => page.history.earlier.map(({ summary }) => summary);
    expect(shown()).toEqual(['Wrote the Report', 'No network']);
    await page.history.narrow({ state: 'failed', kind: 'heartbeat', words: '' });
    expect(shown()).toEqual(['No network']);
    await page.history.narrow({ state: '', kind: '', words: 'report' });
    expect(shown()).toEqual(['Wrote the Report']);
    await page.history.narrow({ state: '', kind: 'play', words: '' });
    expect(shown()).toEqual([]);
  });

  it('leaves out what no longer fits what is looked for', async () => {
    const { happen, page, server } = await parts([now, old]);
    server.answers['GET runs'] = { items: [now], next: null };
    await page.history.narrow({ state: 'running', kind: '', words: '' });
    expect(gets(server, 'runs').pop()!.line).toContain('state=running');
    expect(page.history.rows.map(({ id }) => id)).toEqual(['now']);
    happen({ type: 'run_finished', run: { ...now, state: 'succeeded', revision: 9 } });
    expect(page.history.rows).toEqual([]);
  });

  it('continues with the page after it', async () => {
    const { page, server } = await parts([now], 'now');
    expect(page.history.hasMore).toBe(true);
    server.answers['GET runs'] = { items: [old], next: null };
    await page.history.more();
    expect(gets(server, 'runs').pop()!.line).toContain('cursor=now');
    expect(page.history.rows.map(({ id }) => id)).toEqual(['now', 'old']);
    expect(page.history.hasMore).toBe(false);
  });

  it('continues after all that is shown once the newest page was read again', async () => {
    const ended = (number: number) => run({ id: `r${number}`, number, state: 'succeeded' });
    const pages = [150, 100].map(first =>
      Array.from({ length: 50 }, (_, index) => ended(first - index))
    );
    const { page, server } = await parts(pages[0], 'first');
    server.answers['GET runs'] = { items: pages[1], next: 'second' };
    await page.history.more();
    server.answers['GET runs'] = { items: pages[0], next: 'first' };
    await page.history.load();
    server.answers['GET runs'] = { items: [old], next: null };
    await page.history.more();
    expect(gets(server, 'runs').pop()!.line).toContain('cursor=second');
    expect(page.history.rows).toHaveLength(101);
  });

  it('keeps what it shows and the filter while the server is away, and is read when it is back', async () => {
    const { page, reconnect, server } = await parts([now, old]);
    const { history, latest } = page;
    await until(() => latest.isRead);
    const answer = server.answers['GET runs'];
    delete server.answers['GET runs'];
    await history.narrow({ state: 'succeeded', kind: '', words: 'poem' });
    expect(history.rows.map(({ id }) => id)).toEqual(['old']);
    expect(history.isRead).toBe(false);
    expect(latest.rows.map(({ id }) => id)).toEqual(['now', 'old']);
    server.answers['GET runs'] = { ...(answer as object), items: [] };
    reconnect();
    await until(() => history.isRead);
    expect(history.rows).toEqual([]);
    expect(history.filter.words).toBe('poem');
  });

  it('shows so many at most, the newest, and forgets none that is shown', async () => {
    const ended = (number: number) =>
      run({ id: `r${number}`, number, state: 'succeeded', revision: 1 });
    const pages = Array.from({ length: 3 }, (_, page) =>
      Array.from({ length: 50 }, (_, index) => ended(1_000 - page * 50 - index))
    );
    const server = fakeServer({ 'GET runs': { items: pages[0], next: 'a' } });
    const made = fakeEvents(server.client);
    const runs = new RunStore(server.client, made.events);
    const shown = new AgentRuns(server.client, made.events, runs, 'ada', 120);
    await until(() => shown.isRead);
    for (const items of pages.slice(1)) {
      server.answers['GET runs'] = { items, next: 'b' };
      await shown.more();
    }
    expect(shown.rows).toHaveLength(120);
    expect(shown.hasMore).toBe(false);
    for (let number = 1; number <= MOST_ENDED; number++) {
      runs.put(
        run({ id: `other${number}`, agent: 'ben', number: 2_000 + number, state: 'failed' })
      );
    }
    runs.put(ended(1_001));
    expect(shown.rows[0].id).toBe('r1001');
    expect(shown.rows).toHaveLength(120);
    expect(shown.rows.at(-1)!.id).toBe('r882');
    shown.dispose();
  });

  it('tells which heartbeats were skipped, where nothing else is looked for', async () => {
    const { happen, page, server } = await parts([now]);
    const tick = { key: 'heartbeat/ada', due: '2026-11-23T08:00:00Z', missed: 0, run_id: null };
    server.answers['GET agents/ada/history'] = {
      items: [
        { ...tick, skipped: 'paused' },
        { ...tick, skipped: '', run_id: 'now' }
      ]
    };
    happen({ type: 'tick_skipped', key: 'heartbeat/ada', due: tick.due, reason: 'paused' });
    await until(() => page.history.skipped.length === 1);
    await page.history.narrow({ state: 'failed', kind: '', words: '' });
    expect(page.history.skipped).toEqual([]);
  });
});

describe('what a person does', () => {
  it('sends a message, which stays sent where the run is refused', async () => {
    const { page, server } = await parts();
    server.answers['POST agents/ada/inbox'] = {};
    server.answers['POST agents/ada/run'] = refusal(409, 'over_budget', 'Its budget is used.');
    let isSent = false;
    await expect(page.send('hello', true, () => (isSent = true))).rejects.toThrow('budget');
    expect(isSent).toBe(true);
    expect(server.requests.find(({ line }) => line === 'POST agents/ada/inbox')?.body).toEqual({
      text: 'hello'
    });
  });

  it('moves a task, and sees where it really is when that is refused', async () => {
    const { page, server } = await parts();
    server.answers['PUT agents/ada/tasks/t-1'] = refusal(409, 'conflict', 'It has ended.');
    const before = gets(server, 'agents/ada/tasks').length;
    await expect(page.move('t-1', 'completed')).rejects.toThrow('It has ended.');
    expect(gets(server, 'agents/ada/tasks').length).toBeGreaterThan(before);
  });

  it('starts a heartbeat again as a heartbeat, and an instruction as a talk', async () => {
    const { page, server } = await parts();
    server.answers['POST agents/ada/run'] = run({ id: 'again' });
    server.answers['POST runs'] = run({ id: 'said', kind: 'message' });
    expect((await page.retry(run({}))).id).toBe('again');
    expect((await page.retry(run({ kind: 'message', instruction: 'Hi' }))).id).toBe('said');
    expect(server.requests[server.requests.length - 1].body).toEqual({
      kind: 'message',
      agent: 'ada',
      instruction: 'Hi'
    });
  });
});

describe('in words', () => {
  it('says effects and moves', () => {
    expect(effectLabel({ state: 'refused' }, trans)).toEqual({ label: 'Refused', icon: 'error' });
    expect(directiveParts('GOAL_UPDATE [a]: +1')).toEqual({ word: 'GOAL_UPDATE', rest: '[a]: +1' });
    expect(directiveParts('what')).toEqual({ word: '', rest: 'what' });
    expect(movesOf({ status: 'completed' })).toEqual([]);
    expect(movesOf({ status: 'pending' })).toEqual(['in_progress', 'completed', 'failed']);
  });

  it('says every kind of run', () => {
    const others = ['verify', 'commit', 'handoff', 'evaluate', 'breakdown', 'editor'];
    for (const kind of [...KINDS, ...others]) {
      expect(kindWord(kind, trans)).toMatch(/^[A-Z][a-z]+$/);
    }
    expect(kindWord('channel_message', trans)).toBe('Chat');
  });

  it('says why somebody may not', () => {
    const may = { mayPauseAll: false, mayRun: true, online: true, ownsAll: false };
    const ada = { ...may, username: 'ada' };
    expect(whyNot({ owner: 'ada' }, ada, trans)).toBeNull();
    expect(whyNot({ owner: 'ben' }, ada, trans)).toContain('ben');
    expect(whyNot({ owner: 'ben' }, { ...ada, ownsAll: true }, trans)).toBeNull();
    expect(whyNot({ owner: 'owner' }, ada, trans)).toContain('administrator');
    expect(whyNot(null, { ...ada, mayRun: false }, trans)).toContain('not run');
    expect(whyNot(null, { ...ada, online: false }, trans)).toContain('reached');
  });

  it('says in a line what a run came to', () => {
    const answered = { text: 'I found\nthree.\n\n```memory\nLEARNING: x\n```' };
    const beat = run({ instruction: 'Heartbeat of Ada', result: answered } as Partial<Run>);
    expect(gistOf(beat, trans)).toBe('I found three.');
    expect(gistOf({ ...beat, kind: 'message', instruction: 'Look' }, trans)).toBe('Look');
    const quiet = { ...beat, result: { text: 'HEARTBEAT_OK\n' } } as Run;
    expect(gistOf(quiet, trans)).toBe('Nothing to report');
    expect(gistOf({ ...beat, result: null }, trans)).toBe('Heartbeat of Ada');
    const failure = { kind: 'auth', message: 'Not logged in.' } as unknown as Run['failure'];
    expect(gistOf({ ...beat, failure }, trans)).toBe('Not logged in.');
  });

  it('shows of the persona what a field can hold', () => {
    const fields = { name: 'Ada', budget: 5, tags: ['a', 'b'], goals: [{ metric: 'x' }] };
    expect(
      ['name', 'budget', 'tags', 'goals', 'role'].map(each => fieldText(fields, each))
    ).toEqual(['Ada', '5', 'a, b', null, '']);
  });
});

describe('a message after a run', () => {
  it('is kept until it is sent or given up, and is lost without harm where nothing was written', async () => {
    const { page } = await parts();
    const first = run({ id: 'a', number: 1 });
    const changes: number[] = [];
    page.drafts.changed.connect(() => changes.push(1));
    page.beginAgain(first, 'Write a poem.');
    expect(changes.length).toBeGreaterThan(0);
    expect(page.again(run({ id: 'b', number: 2 }))).toBeNull();
    expect(page.again(first)!.text).toBe('Write a poem.');
    expect(page.drafts.unsaved).toEqual([]);
    page.again(first)!.write('Write two poems.');
    expect(page.again(first)!.text).toBe('Write two poems.');
    expect(page.drafts.unsaved).toEqual(['instruction after run 1']);
    page.forgetAgain(first);
    expect(page.again(first)).toBeNull();
    expect(page.drafts.unsaved).toEqual([]);
  });
});
