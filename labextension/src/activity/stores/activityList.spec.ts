import type { ActivityEntry } from '../../api/types';
import { fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import { aRun } from '../../testing/samples';
import { NO_FILTER, queryOf, ActivityStore } from './activityList';

function entry(number: number, change: Partial<ActivityEntry> = {}): ActivityEntry {
  const run = aRun({ id: `run-${number}`, number, state: 'succeeded' });
  return { run, agent_name: '', asked: [], files: [], more_files: 0, not_compared: '', ...change };
}

const FIRST = 'GET activity?limit=50';

function open(answers: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({
    [FIRST]: { items: [entry(3), entry(2)], next: 'run-2' },
    'GET activity?limit=50&cursor=run-2': { items: [entry(2), entry(1)], next: null },
    ...answers
  });
  const { events, happen } = fakeEvents(server.client);
  const activity = new ActivityStore(server.client, events, name =>
    name === 'Iris' ? 'iris' : name
  );
  const shown = () => activity.items?.map(({ run }) => run.number);
  return { ...server, activity, happen, shown };
}

describe('the query of a filter', () => {
  it('has what was chosen and nothing else', () => {
    expect(queryOf({ ...NO_FILTER })).toEqual({});
    expect(
      queryOf({ ...NO_FILTER, q: ' plot ', agent: 'iris', changed: true, asked: true })
    ).toEqual({ q: 'plot', agent: 'iris', changed: true, asked: true });
  });

  it('takes days as those of this clock, both included', () => {
    const { since, until } = queryOf({ ...NO_FILTER, from: '2026-03-01', to: '2026-03-02' });
    expect(new Date(since!).toString()).toBe(new Date(2026, 2, 1).toString());
    expect(new Date(until!).toString()).toBe(new Date(2026, 2, 3).toString());
    expect(queryOf({ ...NO_FILTER, from: 'soon' })).toEqual({});
  });
});

describe('ActivityStore', () => {
  it('reads the newest, then what is older, each run once', async () => {
    const { activity, shown } = open();
    expect(activity.items).toBeNull();
    await activity.load();
    expect([shown(), activity.hasOlder]).toEqual([[3, 2], true]);
    await activity.loadOlder();
    expect([shown(), activity.hasOlder, activity.isLoadingOlder]).toEqual([
      [3, 2, 1],
      false,
      false
    ]);
    await activity.loadOlder();
    expect(shown()).toEqual([3, 2, 1]);
  });

  it('narrows to an agent by its name', async () => {
    const { activity, shown } = open({
      'GET activity?agent=iris&limit=50': { items: [entry(1)], next: null }
    });
    await activity.narrow({ agent: 'Iris' });
    expect([shown(), activity.problem]).toEqual([[1], null]);
  });

  it('stops a run, and says why it was not stopped', async () => {
    const { activity, answers } = open({
      'POST runs/run-3/cancel': refusal(403, 'not_allowed', 'It is somebody else’s.')
    });
    await activity.load();
    await activity.stop('run-3');
    expect(activity.problem).toBe('It is somebody else’s.');
    answers['POST runs/run-3/cancel'] = aRun({ id: 'run-3', state: 'cancelled' });
    await activity.stop('run-3');
    expect(activity.problem).toBeNull();
  });

  it('takes in what happens, and keeps the older runs that it has read', async () => {
    const { activity, happen, shown, answers } = open();
    await activity.load();
    await activity.loadOlder();
    answers[FIRST] = { items: [entry(4), entry(3)], next: 'run-3' };
    happen({ type: 'run_finished', run: aRun({}) });
    happen({ type: 'something_else' });
    await until(() => shown()?.[0] === 4);
    expect(shown()).toEqual([4, 3, 2, 1]);
    expect(activity.hasOlder).toBe(false);
  });

  it('leaves out what was among the newest and no longer fits the filter', async () => {
    const { activity, shown, answers } = open();
    await activity.load();
    await activity.loadOlder();
    answers[FIRST] = { items: [entry(4), entry(2)], next: 'run-2' };
    await activity.refresh();
    expect(shown()).toEqual([4, 2, 1]);
  });

  it('takes no answer of an earlier filter', async () => {
    const slow: { json: object }[] = [];
    const { activity, shown } = open({
      'GET activity?q=late&limit=50': () =>
        slow.pop() ?? { json: { items: [entry(9)], next: null } }
    });
    const late = activity.narrow({ q: 'late' });
    const now = activity.narrow({ q: '' });
    await Promise.all([late, now]);
    expect(shown()).toEqual([3, 2]);
    expect(activity.isFiltered).toBe(false);
  });

  it('says why it cannot be read, and keeps what was read', async () => {
    const { activity, answers, shown } = open();
    await activity.load();
    answers[FIRST] = refusal(503, 'unavailable', 'The server is stopping.');
    await activity.load();
    expect([activity.problem, shown()]).toEqual(['The server is stopping.', [3, 2]]);
    answers[FIRST] = { items: [], next: null };
    await activity.load();
    expect([activity.problem, shown()]).toEqual([null, []]);
  });

  it('exports what fits the filter, or says why it cannot', async () => {
    const { activity, answers, requests } = open({
      'GET activity?changed=true&limit=50': { items: [], next: null },
      'GET activity/export?changed=true&format=ipynb': { cells: [] }
    });
    await activity.narrow({ changed: true });
    expect(await activity.export('ipynb')).not.toBeNull();
    expect(requests.at(-1)?.line).toBe('GET activity/export?changed=true&format=ipynb');
    answers['GET activity/export?changed=true&format=jsonl'] = refusal(
      403,
      'not_allowed',
      'You may not.'
    );
    expect(await activity.export('jsonl')).toBeNull();
    expect([activity.problem, activity.isExporting]).toEqual(['You may not.', false]);
  });

  it('reads nothing any more when it is disposed of', async () => {
    const { activity, happen } = open();
    await activity.load();
    jest.useFakeTimers();
    happen({ type: 'run_finished', run: aRun({}) });
    expect(jest.getTimerCount()).toBe(1);
    activity.dispose();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('shows a long answer whole when it was asked for, also after the list was read again', async () => {
    const long = 'x'.repeat(900);
    const cut = entry(3, {
      run: aRun({ id: 'run-3', number: 3, state: 'succeeded', result: { text: 'xxx', cut: true } })
    });
    const { activity } = open({
      [FIRST]: { items: [cut], next: null },
      'GET runs/run-3': aRun({ id: 'run-3', result: { text: long, cut: false } })
    });
    const answer = () => activity.items![0].run.result!.text;
    await activity.load();
    await activity.readWhole('run-9');
    expect(answer()).toBe('xxx');
    await activity.readWhole('run-3');
    expect(answer()).toBe(long);
    await activity.refresh();
    expect(answer()).toBe(long);
  });
});
