import { aRun, aSession } from '../../testing/samples';
import { fakeServer } from '../../testing/fakes';
import { folderOf, HistoryStore, sessionToResume } from './history';

const row = (id: string) => ({ session: aSession({ id }).session, last_run: null, runs: 0 });

describe('HistoryStore', () => {
  it('waits for the newest answer when one request overtakes another', async () => {
    const server = fakeServer({ 'GET editor/sessions': { items: [row('a')], next: null } });
    const history = new HistoryStore(server.client);
    const first = history.show({ path: 'x.md' });
    void history.load();
    await first;
    expect(history.items?.map(found => found.session.id)).toEqual(['a']);
  });

  it('searches this document or all of them', async () => {
    const server = fakeServer({ 'GET editor/sessions': { items: [], next: null } });
    const history = new HistoryStore(server.client);
    await history.show({ path: 'x.md', query: 'q5' });
    await history.show({ scope: 'all' });
    expect(server.requests.map(request => request.line.split('?')[1])).toEqual([
      'path=x.md&q=q5&limit=50',
      'q=q5&limit=50'
    ]);
  });

  it('keeps what it had when nobody answers', async () => {
    const server = fakeServer({ 'GET editor/sessions': { items: [row('a')], next: null } });
    const history = new HistoryStore(server.client);
    await history.load();
    server.answers = {};
    await history.load();
    expect(history.items).toHaveLength(1);
    expect(history.error).not.toBeNull();
  });

  it('follows the newest run of a session', async () => {
    const server = fakeServer({ 'GET editor/sessions': { items: [row('session-1')], next: null } });
    const history = new HistoryStore(server.client);
    await history.load();
    history.update(aRun({ state: 'running', queued_at: '2026-11-21T11:00:00Z' }));
    history.update(aRun({ state: 'succeeded', queued_at: '2026-11-21T11:00:00Z' }));
    history.update(aRun({ id: 'older', state: 'failed', queued_at: '2026-11-21T10:00:00Z' }));
    expect(history.items?.[0].last_run?.state).toBe('succeeded');
  });
});

describe('HistoryStore, from document to document', () => {
  const FIRST = 'GET editor/sessions?path=x.md&limit=50';
  const ids = (history: HistoryStore) => history.items?.map(({ session }) => session.id);

  async function open() {
    const server = fakeServer({
      [FIRST]: { items: [row('a')], next: null },
      'GET editor/sessions?path=y.md&limit=50': { items: [row('y')], next: null }
    });
    const history = new HistoryStore(server.client);
    await history.show({ path: 'x.md' });
    return { server, history };
  }

  it('drops an answer that comes after another document was opened', async () => {
    const { server, history } = await open();
    let arrive: (answer: { json: object }) => void = () => undefined;
    server.answers[FIRST] = () => new Promise<{ json: object }>(done => (arrive = done));
    const late = history.load();
    await history.show({ path: 'y.md' });
    arrive({ json: { items: [row('b')], next: null } });
    await late;
    expect(ids(history)).toEqual(['y']);
  });

  it('shows nothing of the document before while the next one’s sessions are read', async () => {
    const { history } = await open();
    const reading = history.show({ path: 'y.md' });
    expect(history.items).toBeNull();
    await reading;
    expect(ids(history)).toEqual(['y']);
  });

  it('reads again when somebody else begins a session of what it shows, and not for others', async () => {
    const { server, history } = await open();
    const before = server.requests.length;
    history.update(aRun({ session_id: 'far', path: 'other.md' }));
    expect(server.requests.length).toBe(before);
    history.update(aRun({ session_id: 'new', path: 'x.md' }));
    expect(server.requests.length).toBe(before + 1);
  });
});

describe('the session to resume', () => {
  const of = (id: string, change: object, last_run: ReturnType<typeof aRun> | null = null) => ({
    ...row(id),
    session: aSession({ id, subject: { kind: 'document', path: 'x.md' }, ...change }).session,
    last_run
  });

  it('is one that works, before one whose program is open, and only of this document', () => {
    const closed = of('closed', {});
    const opened = of('open', { terminal_id: 't' });
    const works = of('works', {}, aRun({ state: 'waiting' }));
    const far = of(
      'far',
      { subject: { kind: 'document', path: 'y.md' }, terminal_id: 't' },
      aRun()
    );
    expect(sessionToResume([far, closed, opened, works], 'x.md')).toBe('works');
    expect(sessionToResume([far, closed, opened], 'x.md')).toBe('open');
    expect(sessionToResume([far, closed], 'x.md')).toBeNull();
  });
});

describe('the folder of a document', () => {
  const ran = (path: string, cwd: string) => ({
    session: { ...aSession({ id: path }).session, subject: { kind: 'document' as const, path } },
    last_run: aRun({ cwd }),
    runs: 1
  });

  it('is where its newest run worked', () => {
    const items = [ran('other.md', 'b'), ran('notes/x.md', 'a'), ran('notes/x.md', 'old')];
    expect(folderOf(items, 'notes/x.md')).toBe('a');
    expect(folderOf(items, null)).toBe('b');
  });

  it('is its own one before the first run', () => {
    expect(folderOf([], 'notes/deep/x.md')).toBe('notes/deep');
    expect(folderOf([row('a')], 'x.md')).toBe('.');
    expect(folderOf([], null)).toBe('.');
  });
});
