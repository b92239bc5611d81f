import { AgentStore } from '../../agents/stores/agents';
import type { PermissionMode } from '../../api/types';
import { ChoiceStore } from '../../runtimes/stores/choices';
import { RuntimeStore } from '../../runtimes/stores/runtimes';
import { fakeEvents, fakeServer, refusal } from '../../testing/fakes';
import { aRun, aRuntime } from '../../testing/samples';
import { NewRunStore } from './newRun';

const modes = (permission_modes: PermissionMode[]) => ({
  capabilities: { ...aRuntime({}).capabilities, permission_modes }
});

async function open(answers: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({
    'GET runtimes': {
      items: [
        aRuntime({ name: 'claude', is_default: true, ...modes(['ask', 'edit', 'bypass']) }),
        aRuntime({ name: 'demo', ...modes(['edit']) })
      ],
      next: null
    },
    'GET agents': { items: [], next: null, oddities: [] },
    'POST runs': aRun({ id: 'new' }),
    ...answers
  });
  const { events } = fakeEvents(server.client);
  const runtimes = new RuntimeStore(server.client, events);
  await runtimes.load();
  const choices = new ChoiceStore(runtimes, null);
  const agents = new AgentStore(server.client, events);
  const store = new NewRunStore(server.client, runtimes, choices, agents);
  const asked = (line: string) =>
    server.requests.filter(each => each.line === line).map(each => each.body);
  return { ...server, asked, choices, store };
}

describe('NewRunStore', () => {
  it('asks for what is written, by whom, where and how carefully', async () => {
    const { asked, choices, store } = await open();
    choices.choosePermissionMode('ask');
    store.show('notes');
    expect([store.isShown, store.isReady, store.folder]).toEqual([true, false, 'notes']);
    expect(await store.start()).toBeNull();
    store.write({ instruction: 'tidy up' });
    expect((await store.start())?.id).toBe('new');
    expect(asked('POST runs')).toEqual([
      {
        kind: 'manual',
        mode: 'headless',
        instruction: 'tidy up',
        cwd: 'notes',
        runtime: 'claude',
        permission_mode: 'ask'
      }
    ]);
    expect([store.isShown, store.draft.instruction]).toEqual([false, '']);
  });

  it('asks for a place, where the isolation is no choice', async () => {
    const { asked, choices, store } = await open();
    choices.chooseIsolation(true);
    store.write({ instruction: 'compute', runner: 'docker' });
    expect(store.isolation).toBeNull();
    await store.start();
    expect(asked('POST runs')).toMatchObject([{ runner: 'docker' }]);
    expect(asked('POST runs')[0]).not.toHaveProperty('isolate');
  });

  it('offers what the runtime can keep, without fewer questions than were chosen', async () => {
    const { store } = await open();
    expect([store.permissionModes, store.permissionMode]).toEqual([['ask', 'edit'], 'edit']);
    store.write({ permissionMode: 'ask' });
    expect(store.permissionMode).toBe('ask');
    store.write({ worker: { kind: 'runtime', name: 'demo' } });
    expect([store.permissionModes, store.permissionMode]).toEqual([['edit'], 'edit']);
  });

  it('tells an agent, which has its own folder and permission mode unless one is named', async () => {
    const { asked, store } = await open();
    store.show('notes');
    store.write({ instruction: 'hello', worker: { kind: 'agent', name: 'iris' } });
    expect([store.folder, store.permissionModes, store.permissionMode]).toEqual(['', [], null]);
    await store.start();
    store.write({ instruction: 'again', folder: '/data ' });
    await store.start();
    expect(asked('POST runs')).toEqual([
      { kind: 'message', agent: 'iris', instruction: 'hello' },
      { kind: 'message', agent: 'iris', instruction: 'again', cwd: 'data' }
    ]);
  });

  it('keeps what is written where the server refuses, and says it at the field', async () => {
    const field = refusal(400, 'invalid', 'There is no folder x.', { field: 'cwd' });
    const { answers, store } = await open({ 'POST runs': field });
    store.show('');
    store.write({ instruction: 'hello', folder: 'x' });
    expect(await store.start()).toBeNull();
    expect([store.wrong, store.refusal]).toEqual([{ folder: 'There is no folder x.' }, null]);
    expect([store.isShown, store.isReady, store.isBusy]).toEqual([true, false, false]);
    store.write({ folder: 'y' });
    expect([store.wrong, store.isReady]).toEqual([{}, true]);
    answers['POST runs'] = refusal(409, 'conflict', 'It is paused.');
    await store.start();
    store.hide();
    store.show('');
    expect([store.refusal, store.draft.instruction]).toEqual(['It is paused.', 'hello']);
    store.write({ instruction: 'hello again' });
    expect(store.refusal).toBeNull();
  });
});
