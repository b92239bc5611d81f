import type { IStateDB } from '@jupyterlab/statedb';
import { nullTranslator } from '@jupyterlab/translation';

import { EventStream } from '../../api/events';
import type { PermissionMode, RuntimeRow } from '../../api/types';
import { aRuntime } from '../../testing/samples';
import { fakeEvents, fakeServer, until } from '../../testing/fakes';
import { ConnectionStore } from '../../shared/connection';
import { ChoiceStore } from './choices';
import { fallbackNotes } from './fallbacks';
import { RuntimeStore } from './runtimes';

const trans = nullTranslator.load('jupyter_cabinet');

async function choices(...rows: RuntimeRow[]) {
  const { client, answers } = fakeServer({ 'GET runtimes': { items: rows, next: null } });
  const runtimes = new RuntimeStore(client, new EventStream(client));
  await runtimes.load();
  const store = new ChoiceStore(runtimes, null);
  const notes = () => fallbackNotes(store.chosen, store, runtimes, trans);
  return { store, runtimes, answers, notes };
}

const can = (permission_modes: PermissionMode[], more = {}) => ({
  capabilities: { ...aRuntime({}).capabilities, permission_modes, ...more }
});

describe('ChoiceStore', () => {
  it('remembers a model for each runtime', async () => {
    const { store } = await choices(aRuntime({ name: 'claude' }), aRuntime({ name: 'codex' }));
    store.chooseModel('opus');
    store.chooseRuntime('codex');
    expect(store.model).toBeNull();
    store.chooseModel('gpt');
    store.chooseRuntime('claude');
    expect(store.model).toBe('opus');
    store.chooseModel(null);
    expect(store.model).toBeNull();
  });

  it('takes the next more careful mode where the chosen one is not offered, and says so', async () => {
    const { store, notes } = await choices(aRuntime({ title: 'Codex', version: '1' }));
    const rows: [PermissionMode[], PermissionMode, PermissionMode][] = [
      [['ask', 'edit', 'bypass'], 'edit', 'edit'],
      [['ask', 'bypass'], 'edit', 'ask'],
      [['ask', 'edit', 'bypass'], 'bypass', 'edit'],
      [['edit'], 'ask', 'edit']
    ];
    for (const [offered, wanted, taken] of rows) {
      const { store } = await choices(aRuntime(can(offered)));
      store.choosePermissionMode(wanted);
      expect(store.permissionMode).toBe(taken);
    }
    expect(notes()).toEqual([]);
    store.choosePermissionMode('bypass');
    expect(notes()).toEqual([
      '“No questions” is not allowed on this server. “Edit files” is used instead.'
    ]);
    store.allowBypass(true);
    expect(store.permissionMode).toBe('bypass');
    expect(notes()).toEqual([]);
  });

  it('tells that a chosen runtime is not here any more', async () => {
    const { store, notes, answers, runtimes } = await choices(
      aRuntime({ name: 'claude', title: 'Claude Code' }),
      aRuntime({ name: 'demo', title: 'Demo agent' })
    );
    store.chooseRuntime('claude');
    answers['GET runtimes'] = {
      items: [
        aRuntime({ name: 'claude', title: 'Claude Code', found: false }),
        aRuntime({ name: 'demo', title: 'Demo agent', ...can(['edit']) })
      ],
      next: null
    };
    await runtimes.load();
    expect(store.runtime).toBe('demo');
    expect(notes()).toEqual(['Claude Code was not found here. Demo agent is used.']);
    store.choosePermissionMode('ask');
    expect(notes()[1]).toBe('Demo agent 1.0 does not offer “Ask first”. “Edit files” is used.');
  });

  it('runs without a terminal what cannot be in one', async () => {
    expect((await choices(aRuntime(can(['edit'], { interactive: false })))).store.headless).toBe(
      true
    );
    expect((await choices(aRuntime({}))).store.headless).toBe(false);
  });
});

describe('choices of several people', () => {
  function database(saved: Record<string, unknown> = {}) {
    const save = jest.fn(async (key: string, value: unknown) => void (saved[key] = value));
    const db = { fetch: async (key: string) => saved[key], save } as unknown as IStateDB;
    return { db, save, saved };
  }

  async function follow(saved: Record<string, unknown> = {}, runner = 'local') {
    const answers = (username: string, allow_bypass: boolean) => ({
      you: { username, may_run: true },
      allow_bypass,
      sandbox: { setting: 'unattended', works: true, reason: '', remedy: '' },
      cluster: { runner }
    });
    const server = fakeServer({
      'GET runtimes': { items: [aRuntime({}), aRuntime({ name: 'codex' })], next: null },
      'GET health': answers('ada', false)
    });
    const stream = fakeEvents(server.client);
    const runtimes = new RuntimeStore(server.client, stream.events);
    await until(() => runtimes.items !== null);
    const connection = new ConnectionStore(server.client, stream.events.socket);
    const { db, save } = database(saved);
    const store = new ChoiceStore(runtimes, db);
    store.follow(connection);
    const login = async (username: string, allow_bypass = false) => {
      server.answers['GET health'] = answers(username, allow_bypass);
      await connection.load();
      await until(() => true);
    };
    return { store, login, save };
  }

  it('are read when it is known who looks, and kept under their name', async () => {
    const { store, login, save } = await follow({
      'jupyter-cabinet:choices:ada': { runtime: 'codex' }
    });
    expect(store.runtime).toBe('claude');
    await login('ada');
    await until(() => store.runtime === 'codex');
    store.choosePermissionMode('ask');
    expect(save).toHaveBeenLastCalledWith(
      'jupyter-cabinet:choices:ada',
      expect.objectContaining({ runtime: 'codex', permissionMode: 'ask' })
    );
  });

  it('remember that runs are isolated, and request it only where that was chosen', async () => {
    const saved: Record<string, unknown> = {};
    const { store, login } = await follow(saved);
    expect(store.isolate).toBeNull();
    await login('ada');
    expect(store.isolation).toEqual({ isIsolated: false, reason: null });
    expect(store.isolate).toBeNull();
    store.chooseIsolation(true);
    expect(store.isolate).toBe(true);
    const { store: again, login: loginAgain } = await follow(saved);
    await loginAgain('ada');
    await until(() => again.isolate === true);
  });

  it('are not read again when the same person is announced once more', async () => {
    const { store, login } = await follow({
      'jupyter-cabinet:choices:ada': { runtime: 'codex' }
    });
    await login('ada');
    await until(() => store.runtime === 'codex');
    store.chooseRuntime('claude');
    await login('ada');
    expect(store.runtime).toBe('claude');
  });

  it('are isolated, without a choice, where runs start in containers', async () => {
    const { store, login } = await follow({}, 'docker');
    await login('ada');
    expect(store.isolation.isIsolated).toBe(true);
    expect(store.isolation.reason).not.toBeNull();
    expect(store.isolate).toBeNull();
  });

  it('remember that the demo agent was chosen, or used as the default', async () => {
    const saved: Record<string, unknown> = {};
    const { store, login } = await follow(saved);
    await login('ada');
    store.used('codex');
    expect(store.triedDemo).toBe(false);
    store.used('demo');
    store.chooseRuntime('codex');
    const { store: again, login: loginAgain } = await follow(saved);
    await loginAgain('ada');
    await until(() => again.runtime === 'codex');
    expect(again.triedDemo).toBe(true);
    const { store: chosen } = await choices(aRuntime({ name: 'demo' }));
    chosen.chooseRuntime('demo');
    expect(chosen.triedDemo).toBe(true);
  });

  it('allow no run without questions where the server does not', async () => {
    const { store, login } = await follow();
    await login('ada', false);
    store.choosePermissionMode('bypass');
    expect([store.permissionModes, store.permissionMode]).toEqual([['ask', 'edit'], 'edit']);
    await login('ben', true);
    expect(store.permissionModes).toEqual(['ask', 'edit', 'bypass']);
  });
});
