import type { Recording } from '../../api/types';
import { fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import { mayDelete, RecordingListStore } from './recordings';

const recording = (id: string) => ({ id, name: id, parts: [] }) as unknown as Recording;
const list = (...ids: string[]) => ({ items: ids.map(recording), next: null });

async function open() {
  const server = fakeServer({ 'GET recordings': list('a') });
  const stream = fakeEvents(server.client);
  const store = new RecordingListStore(server.client, stream.events);
  await until(() => store.items !== null);
  const names = () => store.items?.map(({ id }) => id);
  return { server, store, names, ...stream };
}

describe('RecordingListStore', () => {
  it('reads again when a recording ends and when a terminal comes', async () => {
    const { server, names, happen } = await open();
    server.answers['GET recordings'] = list('b', 'a');
    happen({ type: 'recording_closed', recording: recording('b') });
    await until(() => names()?.length === 2);
    server.answers['GET recordings'] = list('c', 'b', 'a');
    happen({ type: 'terminal_opened', terminal: { id: 'c' } });
    await until(() => names()?.length === 3);
  });

  it('does not read again for what changes no recording', async () => {
    const { server, happen } = await open();
    const before = server.requests.length;
    happen({ type: 'turn_changed', terminal_id: 'a', controller: null });
    happen({ type: 'run_queued', run: {} });
    expect(server.requests.length).toBe(before);
  });

  it('keeps what it had where nobody answers, says why, and forgets that after a break', async () => {
    const { server, store, names, reconnect } = await open();
    server.answers['GET recordings'] = refusal(503, 'unavailable', 'Not now.');
    await store.load();
    expect([names(), store.problem]).toEqual([['a'], 'Not now.']);
    server.answers['GET recordings'] = list('a', 'b');
    reconnect();
    await until(() => store.problem === null);
    expect(names()).toEqual(['a', 'b']);
  });

  it('reads the list again after one was deleted, and passes on that it may not be', async () => {
    const { server, store, names } = await open();
    server.answers['DELETE recordings/a'] = () => ({ status: 204, json: null });
    server.answers['GET recordings'] = list();
    await store.remove('a');
    expect(names()).toEqual([]);
    server.answers['DELETE recordings/b'] = refusal(403, 'not_allowed', 'Not yours.');
    await expect(store.remove('b')).rejects.toThrow('Not yours.');
  });

  it('is kept up no longer when nobody looks', async () => {
    const { server, store, happen, reconnect } = await open();
    store.dispose();
    const before = server.requests.length;
    happen({ type: 'recording_closed', recording: recording('b') });
    reconnect();
    expect(server.requests.length).toBe(before);
  });
});

it('offers to delete a recording only to whom the server lets', () => {
  const ada = { mayRun: true, ownsAll: false, username: 'ada' };
  expect(mayDelete({ owner: 'ada' }, ada)).toBe(true);
  expect(mayDelete({ owner: 'ada' }, { ...ada, username: 'ben' })).toBe(false);
  expect(mayDelete({ owner: 'ada' }, { ...ada, username: 'root', ownsAll: true })).toBe(true);
  expect(mayDelete({ owner: 'ada' }, { ...ada, mayRun: false })).toBe(false);
});
