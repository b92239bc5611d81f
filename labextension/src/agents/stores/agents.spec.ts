import { nullTranslator } from '@jupyterlab/translation';

import type { AgentDetail, Goal, LastRun } from '../../api/types';
import { fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import { AgentStore } from './agents';
import { barOf, goalWords, periodShare, periodWords, plotOf } from './goals';
import { budgetWords, lastRunWords, nextWords, statusLabel, verbsOf } from './labels';

const trans = nullTranslator.load('');

function aGoal(change: Partial<Goal> = {}): Goal {
  return {
    metric: 'articles',
    current: 6,
    target: 8,
    unit: '',
    floor: 2,
    stretch: null,
    period_start: '2026-11-16',
    period_end: '2026-11-22',
    label: 'on track',
    history: [{ period: '2026-11-09', actual: 7, target: 8 }],
    ...change
  };
}

const detail = (change: Partial<AgentDetail> = {}) =>
  ({ slug: 'ada', status: 'idle', run_id: null, ...change }) as AgentDetail;

describe('a goal', () => {
  const thursday = new Date(2026, 10, 19, 12);

  it('has a bar with the mark where it should be today', () => {
    expect(periodShare(aGoal(), thursday)).toBeCloseTo(0.5, 2);
    expect(barOf(aGoal(), thursday)).toEqual({ share: 0.75, due: expect.closeTo(0.5, 2) });
    expect(barOf(aGoal({ current: 20 }), thursday).share).toBe(1);
    expect(barOf(aGoal({ target: null }), thursday)).toEqual({ share: 0, due: null });
    expect(barOf(aGoal({ period_start: '' }), thursday).due).toBeNull();
  });

  it('is said in words', () => {
    expect(goalWords(aGoal(), trans)).toBe('6 of 8, on track');
    expect(goalWords(aGoal({ unit: 'pages', label: null, target: null }), trans)).toBe('6 pages');
    expect(periodWords(aGoal(), trans)).toBe('this week');
    expect(periodWords(aGoal({ period_end: '2026-11-16' }), trans)).toBe('today');
    expect(
      periodWords(aGoal({ period_start: '2026-11-01', period_end: '2026-11-30' }), trans)
    ).toBe('this month');
  });

  it('is drawn from what is known, and no point is made up', () => {
    const plot = plotOf(aGoal(), thursday)!;
    expect(plot).toMatchObject({ current: 6, target: 8, floor: 2 });
    expect(plot.expected).toBeCloseTo(4, 1);
    expect(plot.past).toEqual([{ period: '2026-11-09', actual: 7, target: 8 }]);
    expect(new Date(plot.end).getDate()).toBe(23); // its last day is in it
    expect(plotOf(aGoal({ period_end: 'soon' }), thursday)).toBeNull();
  });
});

describe('an agent', () => {
  it('accepts the commands that fit its status', () => {
    expect(verbsOf(detail())).toEqual(['run', 'pause']);
    expect(verbsOf(detail({ status: 'paused' }))).toEqual(['resume']);
    expect(verbsOf(detail({ status: 'waiting' }))).toContain('stop');
    expect(verbsOf(detail({ status: 'unconfirmed' }))).toEqual([]);
    expect(statusLabel('waiting', trans)).toEqual({ label: 'Waiting for you', icon: 'question' });
  });

  it('says its budget and its next heartbeat', () => {
    expect(budgetWords(detail({ budget: 60, heartbeats_used: 12 }), trans)).toBe(
      '12 of 60 heartbeats'
    );
    expect(budgetWords(detail({ budget: 0, heartbeats_used: 1 }), trans)).toBe('1 heartbeat');
    const now = new Date(2026, 10, 19, 14, 35);
    const next = new Date(2026, 10, 19, 15).toISOString();
    expect(nextWords(detail({ next_heartbeat: next }), now, trans)).toBe('in 25 minutes, 15:00');
    expect(nextWords(detail({ next_heartbeat: null }), now, trans)).toBe('');
  });

  it('says what its last run came to and when', () => {
    const now = new Date(2026, 10, 19, 14, 35);
    const last: LastRun = {
      id: 'r1',
      kind: 'heartbeat',
      state: 'succeeded',
      at: new Date(2026, 10, 19, 2, 25).toISOString(),
      text: '',
      nothing_to_report: true
    };
    const quiet = lastRunWords(last, now, trans);
    expect(quiet).toEqual({ icon: 'success', summary: 'Nothing to report, 02:25', text: '' });
    const failed = {
      ...last,
      state: 'failed' as const,
      text: 'No login.',
      nothing_to_report: false
    };
    expect(lastRunWords(failed, now, trans)).toMatchObject({
      icon: 'error',
      summary: 'Failed, 02:25',
      text: 'No login.'
    });
  });
});

describe('AgentStore', () => {
  function parts() {
    const server = fakeServer({ 'GET agents/ada': detail() });
    const made = fakeEvents(server.client);
    const store = new AgentStore(server.client, made.events);
    const reads = () => server.requests.filter(({ line }) => line === 'GET agents/ada').length;
    return { ...made, server, store, reads };
  }

  it('reads an agent that is shown, and again when something happens to it', async () => {
    const { happen, reads, server, store } = parts();
    const end = store.watch('ada');
    store.watch('ada');
    await until(() => store.get('ada') !== null);
    expect(reads()).toBe(1);
    server.answers['GET agents/ada'] = detail({ status: 'paused' });
    happen({ type: 'agent_paused', agent: 'ada', reason: '', by: 'ada' });
    happen({ type: 'agent_changed', agent: 'ada' });
    happen({ type: 'agent_changed', agent: 'somebody-else' });
    await until(() => store.get('ada')?.status === 'paused');
    expect(reads()).toBe(2);
    end();
  });

  it('does not read one that nobody looks at any more', async () => {
    const { happen, reads, store } = parts();
    const end = store.watch('ada');
    await until(() => store.get('ada') !== null);
    end();
    end();
    happen({ type: 'agent_changed', agent: 'ada' });
    store.watch('other');
    await until(() => store.problem('other') !== null);
    expect(reads()).toBe(1);
  });

  it('says why one is not shown, and keeps the last state while the server is away', async () => {
    const { server, store, reconnect } = parts();
    server.answers['GET agents/gone'] = refusal(404, 'not_found', 'No');
    server.answers['GET agents/theirs'] = refusal(403, 'forbidden', 'No');
    ['gone', 'theirs', 'ada'].forEach(slug => store.watch(slug));
    await until(() => store.get('ada') !== null && store.problem('theirs') !== null);
    expect(store.problem('gone')).toBe('absent');
    expect(store.problem('theirs')).toBe('forbidden');
    delete server.answers['GET agents/ada'];
    reconnect();
    await until(() => store.problem('ada') === 'offline');
    expect(store.get('ada')).not.toBeNull();
  });

  it('tells it what a person wants, and keeps the refusal', async () => {
    const { server, store } = parts();
    server.answers['GET agents/ada'] = detail({ status: 'working', run_id: 'run-9' });
    server.answers['POST runs/run-9/cancel'] = {};
    server.answers['POST agents/ada/pause'] = {};
    server.answers['POST agents/ada/resume'] = {};
    server.answers['POST agents/ada/run'] = refusal(409, 'over_budget', 'Its budget is used.');
    store.watch('ada');
    await until(() => store.get('ada') !== null);
    for (const verb of ['stop', 'pause', 'resume', 'run'] as const) {
      await store.tellAgent('ada', verb);
    }
    const told = server.requests.filter(({ line }) => line.startsWith('POST'));
    expect(told.map(({ line }) => line)).toEqual([
      'POST runs/run-9/cancel',
      'POST agents/ada/pause',
      'POST agents/ada/resume',
      'POST agents/ada/run'
    ]);
    expect(store.refusal('ada')).toBe('Its budget is used.');
    expect(store.isBusy('ada')).toBe(false);
  });
});
