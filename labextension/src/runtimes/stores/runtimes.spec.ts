import type { RuntimeRow } from '../../api/types';
import { aRuntime } from '../../testing/samples';
import { fakeEvents, fakeServer, until } from '../../testing/fakes';
import { permissionModes, RuntimeStore } from './runtimes';

async function open(...items: RuntimeRow[]) {
  const server = fakeServer({ 'GET runtimes': { items, next: null } });
  const stream = fakeEvents(server.client);
  const store = new RuntimeStore(server.client, stream.events);
  await until(() => store.items !== null);
  return { server, store, ...stream };
}

const DEMO = aRuntime({ name: 'demo', title: 'Demo agent' });
const GONE = aRuntime({ name: 'codex', found: false });

describe('RuntimeStore', () => {
  it('offers what was found, and takes the server’s default', async () => {
    const { store } = await open(DEMO, GONE, aRuntime({ is_default: true }));
    expect(store.found.map(({ name }) => name)).toEqual(['demo', 'claude']);
    expect(store.default?.name).toBe('claude');
    expect(store.get('codex')).toBeUndefined();
    expect(store.get(null)).toBeUndefined();
  });

  it('takes the first one found where the server names none', async () => {
    const { store } = await open(GONE, DEMO);
    expect(store.default?.name).toBe('demo');
  });

  it('does not count the demo agent as a CLI', async () => {
    expect((await open(DEMO, GONE)).store.noneFound).toBe(true);
    expect((await open(DEMO, aRuntime({}))).store.noneFound).toBe(false);
  });

  it('names each product once, whatever leads to it', async () => {
    const named = async (...rows: RuntimeRow[]) =>
      (await open(...rows)).store.products.map(({ name }) => name);
    const other = aRuntime({ name: 'acp-codex', found: false });
    const own = aRuntime({ name: 'mine', found: false });
    expect(await named(GONE, other, own, DEMO)).toEqual(['codex', 'mine', 'demo']);
    expect(await named(GONE, { ...other, found: true })).toEqual(['acp-codex']);
    expect(await named({ ...GONE, found: true }, { ...other, found: true })).toEqual(['codex']);
  });

  it('says that none was found at the first document only, where the demo agent serves', async () => {
    const { store } = await open(DEMO);
    expect(['a.md', 'b.md', 'a.md'].map(path => store.tellsNoneFound(path))).toEqual([
      true,
      false,
      true
    ]);
    const bare = (await open(GONE)).store;
    expect(['a.md', 'b.md'].map(path => bare.tellsNoneFound(path))).toEqual([true, true]);
  });

  it('looks again after a break, and keeps what it knew where nobody answers', async () => {
    const { server, store, reconnect } = await open(DEMO);
    server.answers['GET runtimes'] = { items: [DEMO, aRuntime({})], next: null };
    reconnect();
    await until(() => store.found.length === 2);
    server.answers = {};
    reconnect();
    await expect(store.load()).rejects.toThrow();
    expect(store.found).toHaveLength(2);
  });

  it('lists permission modes from the most careful one on', () => {
    const { capabilities } = aRuntime({});
    const row = aRuntime({
      capabilities: { ...capabilities, permission_modes: ['bypass', 'ask', 'edit'] }
    });
    expect(permissionModes(row)).toEqual(['ask', 'edit', 'bypass']);
    expect(permissionModes(undefined)).toEqual([]);
  });
});
