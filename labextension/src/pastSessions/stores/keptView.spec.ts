import { StateDB } from '@jupyterlab/statedb';

import { fakeEvents, fakeServer, until } from '../../testing/fakes';
import { KeptView } from './keptView';
import { NO_FILTER, PastSessionStore } from './sessionList';

const KEY = 'jupyter-cabinet:past-sessions:ada';
const session = { id: 'b', entry: '', snippet: '' };

function open(db: StateDB | null, restores = true) {
  const server = fakeServer({
    'GET projects': { items: [], tags: [], runtimes: {}, indexing: 0, enabled: true },
    'GET usage': { items: [] },
    'GET sessions': { items: [], next: null, total: 0 },
    'GET sessions/b': session,
    'GET sessions/b/entries': { items: [] },
    'GET sessions/b/timeline': { session, items: [], total: 0, branch: '' }
  });
  const sessions = new PastSessionStore(server.client, fakeEvents(server.client).events);
  const kept = new KeptView(sessions, db, restores);
  const lists = () =>
    server.requests.map(({ line }) => line).filter(line => /sessions[?]|sessions$/.test(line));
  return { ...server, kept, lists, sessions };
}

describe('KeptView', () => {
  it('shows the filters and the session of a person again, and nothing of another one', async () => {
    const db = new StateDB();
    const first = open(db);
    await first.kept.load('ada');
    await first.sessions.narrow({ grade: 'F', starred: true });
    first.sessions.open(session as never);
    await until(() => first.sessions.timeline !== null);
    const again = open(db);
    await again.kept.load('ada');
    expect(again.sessions.filter).toEqual({ ...NO_FILTER, grade: 'F', starred: true });
    expect(again.sessions.timeline?.session.id).toBe('b');
    expect(again.lists().at(-1)).toBe('GET sessions?grade=F&starred=true&limit=50');
    const other = open(db);
    await other.kept.load('ben');
    expect([other.sessions.isFiltered, other.sessions.timeline]).toEqual([false, null]);
  });

  it('takes what it understands of what was saved, and no session that is gone', async () => {
    const db = new StateDB();
    await db.save(KEY, { filter: { tag: 7, q: 'plot', strange: 'x' }, session: 'gone' });
    const { kept, sessions } = open(db);
    await kept.load('ada');
    expect([sessions.filter, sessions.timeline]).toEqual([{ ...NO_FILTER, q: 'plot' }, null]);
    await db.save(KEY, 'nonsense');
    const next = open(db);
    await next.kept.load('ada');
    expect(next.sessions.filter).toEqual(NO_FILTER);
  });

  it('does not replace what was chosen before it was read, or what the tab was opened for', async () => {
    const db = new StateDB();
    await db.save(KEY, { filter: { q: 'old' }, session: '' });
    const { kept, sessions } = open(db);
    await sessions.narrow({ q: 'new' });
    await kept.load('ada');
    expect(sessions.filter.q).toBe('new');
    expect(await db.fetch(KEY)).toEqual({ filter: { ...NO_FILTER, q: 'new' }, session: '' });
    const opened = open(db, false);
    await opened.kept.load('ada');
    expect(opened.sessions.isFiltered).toBe(false);
    await opened.sessions.narrow({ project: '/work' });
    const saved = { filter: { ...NO_FILTER, project: '/work' }, session: '' };
    expect(await db.fetch(KEY)).toEqual(saved);
  });

  it('keeps nothing after it is disposed of, and works without a database', async () => {
    const db = new StateDB();
    const { kept, sessions } = open(db);
    await kept.load('ada');
    kept.dispose();
    await sessions.narrow({ q: 'later' });
    expect(await db.fetch(KEY)).toEqual({ filter: NO_FILTER, session: '' });
    const without = open(null);
    await without.kept.load('ada');
    await without.sessions.narrow({ q: 'x' });
    expect(without.sessions.filter.q).toBe('x');
  });
});
