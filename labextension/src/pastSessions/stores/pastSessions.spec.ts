import type { CliSession } from '../../api/types';
import { fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import {
  actionGist,
  branchText,
  continuingRuntimes,
  projectWith,
  usageByDay,
  whyNotContinued,
  worksInSession
} from './labels';
import { NO_FILTER, PastSessionStore, queryOf } from './sessionList';

const trans = {
  __: (text: string, ...parts: unknown[]) =>
    text.replace(/%(\d)/g, (_, at: string) => String(parts[Number(at) - 1]))
} as never;

const NO_USAGE = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
const NO_MARKS = { alias: '', archived: false, note: '', starred: false, tags: [] };

function session(id: string, change: Partial<CliSession> = {}): CliSession {
  return {
    id,
    runtime: 'pi',
    native_id: id,
    title: `Session ${id}`,
    cwd: '/home/ada/work',
    path: 'work',
    parent_id: '',
    is_sub_agent: false,
    started_at: 100,
    ended_at: 200,
    messages: 1,
    calls: 0,
    errors: 0,
    models: [],
    usage: NO_USAGE,
    cost_usd: null,
    grade: 'A',
    reasons: [],
    is_gone: false,
    marks: NO_MARKS,
    snippet: '',
    entry: '',
    ...change
  };
}

function rows(...names: string[]) {
  return names.map(name => ({ name, sessions_of: '' }));
}

const FIRST = 'GET sessions?limit=50';
const TIMELINE = 'GET sessions/b/timeline?from=0&limit=100';

function page(ids: string, next: string | null = null) {
  return { items: [...ids].map(id => session(id)), next, total: 3 };
}

function timeline(total: number, first = 0, branch = '') {
  const items = Array.from({ length: Math.min(100, total - first) }, (_, at) => ({
    id: `e${first + at}`,
    place: first + at,
    kind: 'user'
  }));
  const places = { errors: [5], people: [0, 150], edits: [], bookmarks: [] };
  return {
    session: session('b'),
    health: null,
    items,
    total,
    hidden: 0,
    branches: 1,
    branch,
    place: null,
    ...places
  };
}

function open(answers: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({
    'GET projects': { items: [], tags: ['old'], runtimes: { pi: 3 }, indexing: 0, enabled: true },
    'GET usage': { items: [] },
    [FIRST]: page('cb', '2'),
    'GET sessions?limit=50&cursor=2': page('ba'),
    [TIMELINE]: timeline(250),
    'GET sessions/b/timeline?from=100&limit=100': timeline(250, 100),
    ...answers
  });
  const { events, happen } = fakeEvents(server.client);
  const store = new PastSessionStore(server.client, events);
  const shown = () => store.items?.map(({ id }) => id).join('');
  return { ...server, happen, shown, store };
}

describe('the last run of a session', () => {
  it('names the runtime that continues it', async () => {
    const runs = 'GET sessions/b/runs';
    const { store } = open({ [runs]: { items: [{ runtime: 'acp-pi' }, { runtime: 'pi' }] } });
    store.open(session('b'));
    expect(store.timeline?.lastRuntime).toBeNull();
    await store.timeline?.readLastRuntime();
    expect(store.timeline?.lastRuntime).toBe('acp-pi');
  });

  it('is none where the server does not answer', async () => {
    const { store } = open({ 'GET sessions/b/runs': refusal(500, 'internal', 'Broken') });
    store.open(session('b'));
    await store.timeline?.readLastRuntime();
    expect(store.timeline?.lastRuntime).toBe('');
  });
});

describe('the query of a filter', () => {
  it('has what was chosen and nothing else', () => {
    expect(queryOf(NO_FILTER)).toEqual({});
    expect(queryOf({ ...NO_FILTER, q: ' plot ', starred: true })).toEqual({
      q: 'plot',
      starred: true
    });
  });
});

describe('PastSessionStore', () => {
  it('reads the first page, then more, each session once', async () => {
    const { shown, store } = open();
    await store.refresh();
    expect([shown(), store.total, store.hasMore]).toEqual(['cb', 3, true]);
    expect(store.projects?.tags).toEqual(['old']);
    await store.loadMore();
    expect([shown(), store.hasMore, store.isLoadingMore]).toEqual(['cba', false, false]);
  });

  it('narrows, and takes no answer of an earlier filter', async () => {
    let answer: (page: object) => void = () => undefined;
    const late = new Promise<{ json: unknown }>(resolve => {
      answer = json => resolve({ json });
    });
    const { shown, store } = open({
      'GET sessions?q=late&limit=50': () => late,
      'GET sessions?q=now&runtime=pi&limit=50': page('a')
    });
    const first = store.narrow({ q: 'late' });
    await store.narrow({ q: 'now', runtime: 'pi' });
    answer(page('c'));
    await first;
    expect([shown(), store.isFiltered]).toEqual(['a', true]);
  });

  it('shows the project with a folder, without other filters', async () => {
    const { answers, shown, store } = open({
      'GET sessions?q=plot&limit=50': page('a'),
      'GET sessions?project=%2Fhome%2Fada%2Fwork&limit=50': page('b')
    });
    const work = { cwd: '/home/ada/work', path: 'work', sessions: 1, last_at: 1 };
    answers['GET projects'] = { items: [work], tags: [], runtimes: {}, indexing: 0, enabled: true };
    await store.narrow({ q: 'plot' });
    await store.showFolder('work/notes');
    expect([shown(), store.filter]).toEqual(['b', { ...NO_FILTER, project: '/home/ada/work' }]);
    await store.showFolder('elsewhere');
    expect(shown()).toBe('cb');
  });

  it('says why it cannot be read, and keeps what was read', async () => {
    const { answers, shown, store } = open();
    await store.refresh();
    answers[FIRST] = refusal(503, 'unavailable', 'The server is stopping.');
    await store.refresh();
    expect([store.problem, shown()]).toEqual(['The server is stopping.', 'cb']);
  });

  it('reads again what was indexed, with the session that is shown', async () => {
    const { answers, happen, requests, shown, store } = open();
    await store.refresh();
    store.open(store.items![1]);
    await until(() => store.timeline!.outline !== null);
    const reads = () => requests.filter(({ line }) => line === TIMELINE).length;
    const before = reads();
    answers[FIRST] = page('dcb');
    answers['GET projects'] = { items: [], tags: [], runtimes: {}, indexing: 0, enabled: true };
    happen({ type: 'sessions_indexed', ids: ['b', 'd'], indexing: 7 });
    await until(() => store.indexing === 7);
    await until(() => shown() === 'dcb');
    expect(reads()).toBe(before + 1);
    await until(() => store.indexing === 0);
  });

  it('shows a mark at once, and reverts it when the server refuses it', async () => {
    const { answers, requests, store } = open({
      'PATCH sessions/b': { ...NO_MARKS, starred: true, tags: ['bug'] }
    });
    await store.refresh();
    answers[FIRST] = {
      ...page('c'),
      items: [session('c'), session('b', { marks: { ...NO_MARKS, starred: true, tags: ['bug'] } })]
    };
    const marked = store.mark(store.items![1], { starred: true, add_tags: ['bug'] });
    expect(store.items![1].marks).toEqual({ ...NO_MARKS, starred: true, tags: ['bug'] });
    await marked;
    expect(requests.find(({ line }) => line === 'PATCH sessions/b')?.body).toEqual({
      starred: true,
      add_tags: ['bug']
    });
    answers['PATCH sessions/b'] = refusal(403, 'not_allowed', 'You may not.');
    await store.mark(store.items![1], { starred: false, remove_tags: ['bug'] });
    expect(store.items![1].marks.starred).toBe(true);
    expect(store.problem).toBe('You may not.');
  });

  it('reads nothing any more when it is disposed of', async () => {
    const { happen, store } = open();
    await store.refresh();
    jest.useFakeTimers();
    happen({ type: 'sessions_indexed', ids: [], indexing: 0 });
    expect(jest.getTimerCount()).toBe(1);
    store.dispose();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
});

describe('TimelineStore', () => {
  it('reads blocks when they come into view, and finds the next place of a kind', async () => {
    const { requests, store } = open();
    await store.refresh();
    store.open(store.items![1]);
    const shown = store.timeline!;
    await until(() => shown.outline !== null);
    expect([shown.entry(99)?.id, shown.entry(100)]).toEqual(['e99', null]);
    await shown.show(90, 120);
    await shown.show(90, 120);
    expect([shown.entry(120)?.id, shown.placeOf('e120')]).toEqual(['e120', 120]);
    expect(requests.filter(({ line }) => line.includes('from=100')).length).toBe(1);
    expect([shown.jump('people'), shown.jump('people'), shown.current]).toEqual([
      0,
      150,
      { place: 150 }
    ]);
    expect([shown.jump('people'), shown.jump('edits'), shown.current]).toEqual([
      0,
      null,
      { place: 0 }
    ]);
  });

  it('opens at the match of a search, far from the beginning, and reads on from there', async () => {
    const { requests, store } = open({
      'GET sessions/b/timeline?around=e5000&limit=100': {
        ...timeline(10_000, 5000),
        place: 5000
      },
      'GET sessions/b/timeline?from=4900&limit=100': timeline(10_000, 4900),
      'GET sessions/b/timeline?around=gone&limit=100': refusal(404, 'not_found', 'None.')
    });
    store.open(session('b', { entry: 'e5000' }));
    const shown = store.timeline!;
    await until(() => shown.outline !== null);
    expect([shown.current, shown.entry(5000)?.id, shown.entry(0)]).toEqual([
      { place: 5000 },
      'e5000',
      null
    ]);
    await shown.show(4990, 5010);
    expect(shown.entry(4990)?.id).toBe('e4990');
    expect(requests.map(({ line }) => line)).not.toContain(TIMELINE);
    const { current } = shown;
    store.open(session('b', { entry: 'e4950' })); // of another search
    expect([store.timeline, shown.current]).toEqual([shown, { place: 4950 }]);
    store.open(session('b', { entry: 'e4950' }));
    expect(shown.current).not.toBe(current);
    expect(await shown.goTo('gone')).toBe(false);
    expect([shown.problem, shown.current]).toEqual(['None.', { place: 4950 }]);
  });

  it('begins at the beginning when the match is gone', async () => {
    const { store } = open({
      'GET sessions/b/timeline?around=gone&limit=100': refusal(404, 'not_found', 'None.')
    });
    store.open(session('b', { entry: 'gone' }));
    const shown = store.timeline!;
    await until(() => shown.outline !== null);
    expect([shown.current, shown.entry(0)?.id, shown.problem]).toEqual([null, 'e0', null]);
  });

  it('takes no late answer of an earlier jump', async () => {
    let answer: (page: object) => void = () => undefined;
    const late = new Promise<{ json: unknown }>(resolve => {
      answer = json => resolve({ json });
    });
    const { store } = open({ 'GET sessions/b/timeline?around=slow&limit=100': () => late });
    store.open(session('b'));
    const shown = store.timeline!;
    await until(() => shown.outline !== null);
    const going = shown.goTo('slow');
    shown.choose(7);
    answer({ ...timeline(250, 100), place: 100 });
    await going;
    expect([shown.current, shown.entry(100)]).toEqual([{ place: 7 }, null]);
  });

  it('follows a match to another branch, and reads all of it there', async () => {
    const { answers, happen, store } = open({
      'GET sessions/b/timeline?around=e205&limit=100': {
        ...timeline(206, 200, 'e205'),
        place: 205
      },
      'GET sessions/b/timeline?from=100&limit=100&branch=e205': timeline(206, 100, 'e205'),
      'GET sessions/b/timeline?from=200&limit=100&branch=e205': timeline(206, 200, 'e205')
    });
    store.open(session('b'));
    const shown = store.timeline!;
    await until(() => shown.outline !== null);
    await shown.show(0, 10);
    await shown.goTo('e205');
    expect([shown.outline!.branch, shown.current, shown.entry(0)]).toEqual([
      'e205',
      { place: 205 },
      null
    ]);
    await shown.show(195, 205);
    expect(shown.entry(195)?.id).toBe('e195');
    answers['GET sessions/b/export?format=md&branch=e205'] = () => ({ json: '# Session' });
    expect(await shown.export('md')).not.toBeNull();
    // The CLI continues there: now it is the last branch.
    answers['GET sessions/b/timeline?from=100&limit=100&branch=e205'] = timeline(210, 100);
    answers['GET sessions/b/timeline?from=200&limit=100&branch=e205'] = timeline(210, 200);
    answers['GET sessions/b/timeline?from=100&limit=100'] = timeline(210, 100);
    answers['GET sessions/b/timeline?from=200&limit=100'] = timeline(210, 200);
    happen({ type: 'sessions_indexed', ids: ['b'], indexing: 0 });
    await until(() => shown.outline!.total === 210 && shown.entry(195) !== null);
    await until(() => shown.entry(209)?.id === 'e209');
    expect(shown.outline!.branch).toBe('');
  });

  it('continues and exports, or says why not', async () => {
    const { answers, requests, store } = open({
      'POST sessions/b/continue': { id: 'run-1' },
      'GET sessions/b/export?format=md': () => ({ json: '# Session' })
    });
    await store.refresh();
    store.open(store.items![1]);
    const shown = store.timeline!;
    expect(await shown.continue({ instruction: 'next' })).toEqual({ id: 'run-1' });
    expect(requests.at(-1)?.body).toEqual({ instruction: 'next' });
    expect(shown.startedRun).toEqual({ id: 'run-1' });
    answers['POST sessions/b/continue'] = refusal(409, 'session_gone', 'It is gone.');
    expect(await shown.continue({ instruction: 'next' })).toBe('It is gone.');
    expect(await shown.export('md')).not.toBeNull();
    answers['GET sessions/b/export?format=md'] = refusal(404, 'not_found', 'It is gone.');
    expect([await shown.export('md'), shown.problem]).toEqual([null, 'It is gone.']);
  });
});

describe('labels', () => {
  it('finds the innermost project of a folder', () => {
    const project = (path: string | null) => ({ cwd: `/${path}`, path, sessions: 1, last_at: 1 });
    const projects = [null, 'a', '.', 'a/b', 'ab'].map(project);
    const found = (folder: string) => projectWith(folder, projects)?.path;
    expect(['a/b/c', 'a/b', 'a/bc', 'abc', '.'].map(found)).toEqual(['a/b', 'a/b', 'a', '.', '.']);
    expect(projectWith('x', [project('a'), project(null)])).toBeNull();
  });

  it('says which branch is shown', () => {
    expect(branchText('', 3, trans)).toBe('the last of 3 branches');
    expect(branchText('e5', 3, trans)).toBe('an earlier one of 3 branches');
  });

  it('says why a session cannot be continued', () => {
    expect(whyNotContinued(session('a'), trans)).toBeNull();
    expect(whyNotContinued(session('a', { path: null }), trans)).toContain('/home/ada/work');
    expect(whyNotContinued(session('a', { cwd: '', path: null }), trans)).toContain('not known');
  });

  it('offers the session’s own runtime first, unless it is missing or the transcript is gone', () => {
    expect(continuingRuntimes(session('a'), rows('claude', 'pi'))).toEqual(['pi', 'claude']);
    expect(continuingRuntimes(session('a'), rows('claude'))).toEqual(['claude']);
    expect(continuingRuntimes(session('a', { is_gone: true }), rows('claude', 'pi'))).toEqual([
      'claude'
    ]);
  });

  it('offers the runtimes that work in the session itself before the others, the last one first', () => {
    const found = [
      ...rows('claude', 'pi'),
      { name: 'acp-pi', sessions_of: 'pi' },
      { name: 'mine', sessions_of: 'pi' }
    ];
    expect(continuingRuntimes(session('a'), found)).toEqual(['pi', 'acp-pi', 'mine', 'claude']);
    expect(continuingRuntimes(session('a'), found, 'mine')).toEqual([
      'mine',
      'pi',
      'acp-pi',
      'claude'
    ]);
    const gone = session('a', { is_gone: true });
    expect(continuingRuntimes(gone, found)).toEqual(['claude']);
    expect(found.filter(row => worksInSession(session('a'), row)).length).toBe(3);
    expect(found.some(row => worksInSession(gone, row))).toBe(false);
  });

  it('names what a call did in one line', () => {
    const command = { type: 'command', text: 'ls\n-l', argv: [], cwd: '', more: [] } as const;
    expect(actionGist({ ...command, argv: [], more: [], is_title: false })).toBe('ls');
    expect(actionGist({ type: 'edit', paths: ['a', 'b'], changes: [], more: [] })).toBe('a, b');
    expect(actionGist(null)).toBe('');
  });

  it('adds up each day, and knows a missing cost from none', () => {
    const row = (day: string, cost_usd: number | null, input_tokens: number) => ({
      day,
      runtime: 'pi',
      cwd: '',
      model: '',
      answers: 1,
      cost_usd,
      usage: { ...NO_USAGE, input_tokens }
    });
    const rows = [
      row('2026-11-22', null, 5),
      row('2026-11-21', 1, 2),
      row('2026-11-21', 2, 3),
      row('2026-10-01', 1, 1)
    ];
    const days = usageByDay(rows, new Date('2026-11-22T12:00:00Z'));
    expect([days.length, days[0]]).toEqual([30, { day: '2026-10-24', tokens: 0, cost: null }]);
    expect(days.slice(-2)).toEqual([
      { day: '2026-11-21', tokens: 5, cost: 3 },
      { day: '2026-11-22', tokens: 5, cost: null }
    ]);
  });
});
