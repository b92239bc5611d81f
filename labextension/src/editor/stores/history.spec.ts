import { aRun, aSession } from '../../testing/samples';
import { fakeServer } from '../../testing/fakes';
import { HistoryStore } from './history';

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
    history.update(aRun({ state: 'succeeded', queued_at: '2026-11-21T11:00:00Z' }));
    history.update(aRun({ id: 'older', state: 'failed', queued_at: '2026-11-21T10:00:00Z' }));
    expect(history.items?.[0].last_run?.state).toBe('succeeded');
  });
});
