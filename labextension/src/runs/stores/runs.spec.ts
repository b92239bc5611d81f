import { readFileSync } from 'fs';
import { join } from 'path';

import type { RunState } from '../../api/types';
import { aRun } from '../../testing/samples';
import { FakeSocket, fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import { isFinal, isWorking, MOST_ENDED, RunStore } from './runs';

const LIST = 'GET runs?limit=50';

function open(answers: Parameters<typeof fakeServer>[0] = {}, isOpen = true) {
  const server = fakeServer({ [LIST]: { items: [], next: null }, ...answers });
  const stream = fakeEvents(server.client, isOpen);
  const runs = new RunStore(server.client, stream.events);
  const told: string[] = [];
  runs.updated.connect((_, run) => told.push(`${run.id} ${run.state}`));
  return { ...server, ...stream, server, runs, told };
}

describe('the states of a run', () => {
  // The same table is read by the server's tests.
  const file = join(__dirname, '../../../../tests/fixtures/rules/run_states.json');
  const table = JSON.parse(readFileSync(file, 'utf8')) as Record<string, RunState[]>;

  it.each(Object.entries(table).flatMap(([kind, states]) => states.map(state => [state, kind])))(
    '%s is %s, as the server says',
    (state, kind) => {
      const run = { state: state as RunState };
      expect([isFinal(run), isWorking(run)]).toEqual([kind === 'final', kind === 'working']);
    }
  );
});

describe('RunStore', () => {
  it('keeps the whole answer of a run when a list brings its beginning', async () => {
    const whole = aRun({ state: 'succeeded', result: { text: 'x'.repeat(500), cut: false } });
    const listed = { ...whole, result: { text: 'x'.repeat(300), cut: true } };
    const { runs } = open({ [LIST]: { items: [listed], next: null } }, false);
    await runs.load();
    expect(runs.get('run-1')?.result?.cut).toBe(true);
    runs.put(whole);
    await runs.load();
    expect(runs.get('run-1')).toEqual(whole);
  });

  it('forgets runs that have ended long ago, and none that works', () => {
    const { runs } = open();
    runs.put(aRun({ id: 'works', state: 'running' }));
    for (let number = 0; number <= MOST_ENDED; number++) {
      runs.put(aRun({ id: `run-${number}`, state: 'succeeded' }));
      runs.get('run-0'); // is shown, so it is asked for again and again
    }
    expect(runs.get('run-0')).toBeDefined();
    expect(runs.get('run-1')).toBeUndefined();
    expect(runs.get(`run-${MOST_ENDED}`)).toBeDefined();
    expect(runs.active.map(({ id }) => id)).toEqual(['works']);
  });

  it('finds the newest run that has changed files', async () => {
    const changed = (files: number) => ({ files, added: 0, removed: 0, cells: 0 });
    const items = [
      aRun({ id: 'c', changed: changed(0) }),
      aRun({ id: 'b', changed: changed(2) }),
      aRun({ id: 'a', changed: changed(1) })
    ];
    const { runs, answers } = open({ 'GET runs?limit=200': { items, next: null } });
    expect((await runs.newestWithChanges())?.id).toBe('b');
    answers['GET runs?limit=200'] = { items: items.slice(0, 1), next: null };
    expect(await runs.newestWithChanges()).toBeNull();
  });

  it('follows what happens to runs, and passes over what it does not know', () => {
    const { runs, happen, told } = open();
    happen({ type: 'run_queued', run: aRun({ state: 'queued' }) });
    happen({ type: 'run_started', run: aRun({ state: 'running' }) });
    happen({ type: 'run_from_the_future', run: aRun({ state: 'failed' }) });
    expect(told).toEqual(['run-1 queued', 'run-1 running']);
    expect(runs.working.map(({ id }) => id)).toEqual(['run-1']);
    happen({ type: 'run_finished', run: aRun({ state: 'succeeded' }) });
    expect(runs.active).toEqual([]);
  });

  it('lists what is active from the oldest on', () => {
    const { runs } = open();
    runs.put(aRun({ id: 'b', number: 2 }));
    runs.put(aRun({ id: 'a', number: 1, state: 'queued' }));
    runs.put(aRun({ id: 'c', number: 3, state: 'failed' }));
    expect(runs.active.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(runs.working.map(({ id }) => id)).toEqual(['b']);
  });

  it('never opens an ended run again for a late event', () => {
    const { runs, happen } = open();
    happen({ type: 'run_finished', run: aRun({ state: 'cancelled' }) });
    happen({ type: 'run_updated', run: aRun({ state: 'running' }) });
    expect(runs.get('run-1')?.state).toBe('cancelled');
  });

  it('is not reset by an answer that the event stream has overtaken', async () => {
    const { runs, server, happen } = open();
    const queued = aRun({ state: 'queued', revision: 0 });
    const submitted = runs.submit({ kind: 'manual', instruction: 'x' });
    happen({ type: 'run_started', run: aRun({ revision: 2 }) });
    server.answers['POST runs'] = queued;
    await submitted.catch(() => undefined);
    expect(runs.put(queued).state).toBe('running');
    happen({ type: 'run_waiting', run: aRun({ state: 'waiting', revision: 3 }) });
    runs.put(aRun({ revision: 2 }));
    expect(runs.get('run-1')?.state).toBe('waiting');
    happen({ type: 'run_queued', run: aRun({ state: 'queued', attempt: 2, revision: 4 }) });
    expect(runs.get('run-1')?.state).toBe('queued');
  });

  it('says that a session’s program was closed', () => {
    const { runs, happen } = open();
    const closed: string[] = [];
    runs.sessionClosed.connect((_, id) => closed.push(id));
    happen({ type: 'session_closed', session_id: 'session-7' });
    expect(closed).toEqual(['session-7']);
  });

  it('reads at once where it is made after the connection, and again after each new one', async () => {
    const { server, runs, reconnect } = open({ [LIST]: { items: [aRun()], next: null } });
    await until(() => runs.active.length === 1);
    const count = () => server.requests.filter(({ line }) => line === LIST).length;
    expect(count()).toBe(1);
    reconnect();
    await until(() => count() === 2);
  });

  it('asks after a break for the runs that have ended unseen', async () => {
    const { runs, server, socket } = open();
    runs.put(aRun({ id: 'old' }));
    server.answers['GET runs/old'] = aRun({ id: 'old', state: 'interrupted' });
    socket().receive({ type: 'reset', seq: 9 });
    await until(() => runs.get('old')?.state === 'interrupted');
    expect(runs.active).toEqual([]);
  });

  it('keeps what it knew where nobody answers', async () => {
    const { runs, server, socket } = open();
    runs.put(aRun());
    server.answers = {};
    socket().receive({ type: 'reset', seq: 9 });
    await expect(runs.load()).rejects.toThrow();
    expect(runs.active).toHaveLength(1);
  });

  it('knows a submitted run from its answer, and none where it was refused', async () => {
    const { runs, server } = open({ 'POST runs': aRun({ state: 'queued' }) });
    await runs.submit({ kind: 'manual', instruction: 'x' });
    expect(runs.active).toHaveLength(1);
    server.answers['POST runs'] = refusal(403, 'not_allowed', 'No.');
    await expect(runs.submit({ kind: 'manual', instruction: 'y' })).rejects.toMatchObject({
      kind: 'not_allowed'
    });
    expect(runs.active).toHaveLength(1);
  });

  it('gives one stream of what a run says to all who ask', async () => {
    const { runs } = open();
    const [pool, same] = await Promise.all([runs.outputs(), runs.outputs()]);
    expect(pool).toBe(same);
    const before = FakeSocket.all.length;
    expect(pool.get('run-1')).toBe(pool.get('run-1'));
    expect(FakeSocket.all.length).toBe(before + 1);
    pool.dispose();
  });

  it('lets the stream go that was asked for longest ago', async () => {
    const { runs } = open();
    const pool = await runs.outputs();
    const first = pool.get('run-0');
    for (let number = 1; number <= 12; number++) {
      pool.get(`run-${number}`);
    }
    expect(first.isDisposed).toBe(true);
    expect(pool.get('run-1').isDisposed).toBe(false);
    pool.dispose();
  });
});
