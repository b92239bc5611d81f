import { nullTranslator } from '@jupyterlab/translation';

import type { WorkSwitch } from '../../api/types';
import { aRun } from '../../testing/samples';
import { fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import { FailedRunStore } from './failedRuns';
import { statusWords } from './labels';
import { RunStore } from './runs';

const trans = nullTranslator.load('');
const ON: WorkSwitch = { paused: false, by: '', at: null };
const OFF: WorkSwitch = { paused: true, by: 'Ada', at: '2026-11-23T12:00:00Z' };

async function open(answers: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({
    'GET runs?limit=50': { items: [], next: null },
    'GET switch': ON,
    ...answers
  });
  const stream = fakeEvents(server.client);
  const runs = new RunStore(server.client, stream.events);
  return { ...stream, runs, server, work: await runs.workSwitch() };
}

describe('WorkSwitchStore', () => {
  it('follows what others switch', async () => {
    const { happen, server, work } = await open();
    await until(() => work.state !== null);
    expect(work.paused).toBe(false);
    server.answers['GET switch'] = OFF;
    happen({ type: 'work_paused', by: 'Ada' });
    await until(() => work.paused);
    expect(work.state).toEqual(OFF);
    server.answers['GET switch'] = ON;
    happen({ type: 'work_resumed', by: 'Ada' });
    await until(() => !work.paused);
  });

  it('switches once at a time, and keeps the refusal', async () => {
    const { server, work } = await open({ 'POST switch': OFF });
    await until(() => work.state !== null);
    const first = work.turn(true);
    expect(await work.turn(true)).toBe(false);
    expect(await first).toBe(true);
    expect(work.paused).toBe(true);
    server.answers['POST switch'] = refusal(403, 'not_allowed', 'You may not.');
    expect(await work.turn(false, true)).toBe(false);
    expect([work.refusal, work.paused]).toEqual(['You may not.', true]);
    const told = server.requests.filter(({ line }) => line === 'POST switch');
    expect(told.map(({ body }) => body)).toEqual([
      { paused: true, now: false },
      { paused: false, now: true }
    ]);
  });

  it('knows whether it was switched here, whichever comes first, the event or the answer', async () => {
    const { happen, work } = await open({ 'POST switch': OFF });
    await until(() => work.state !== null);
    const turning = work.turn(true);
    happen({ type: 'work_paused', by: 'Ada' });
    expect(work.turnedHere).toBe(true);
    await turning;
    happen({ type: 'work_paused', by: 'Ada' });
    expect(work.turnedHere).toBe(true);
    happen({ type: 'work_resumed', by: 'Ben' });
    happen({ type: 'work_paused', by: 'Ben' });
    expect(work.turnedHere).toBeNull();
  });

  it('knows nothing where this person may not read it, and keeps the last state while offline', async () => {
    const { reconnect, server, work } = await open({ 'GET switch': OFF });
    await until(() => work.paused);
    let asked = 0;
    work.changed.connect(() => (asked += 1));
    delete server.answers['GET switch'];
    reconnect();
    await until(() => asked > 0);
    expect(work.paused).toBe(true);
    server.answers['GET switch'] = refusal(403, 'not_allowed', 'No.');
    reconnect();
    await until(() => work.state === null);
  });
});

describe('FailedRunStore', () => {
  it('counts runs of agents that fail while the page is open, until somebody has looked', async () => {
    const { runs } = await open();
    const put = (id: string, change: Parameters<typeof aRun>[0]) =>
      runs.put(aRun({ id, agent: 'ada', ...change }));
    put('before', { state: 'running' });
    const failed = new FailedRunStore(runs);
    put('before', { state: 'failed' });
    put('old', { state: 'failed' }); // had ended before it was known
    for (const [id, state] of [
      ['late', 'timed_out'],
      ['good', 'succeeded']
    ] as const) {
      put(id, { state: 'running' });
      put(id, { state });
    }
    put('mine', { state: 'running', agent: null });
    put('mine', { state: 'failed', agent: null });
    expect(failed.count).toBe(2);
    expect(statusWords(1, true, failed.count, trans)).toBe('Paused, 1 running, 2 failed');
    failed.seen();
    expect(failed.count).toBe(0);
    expect(statusWords(0, false, 0, trans)).toBe('');
  });
});
