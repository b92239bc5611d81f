import type { OfferedTool, ToolServer } from '../../api/types';
import { fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import {
  changeOf,
  draftOf,
  isComplete,
  newServer,
  removalWords,
  serverLabel,
  users
} from './toolLabels';
import { ToolServersStore } from './toolServers';

const filled = (text: string, ...parts: unknown[]) =>
  text.replace(/%(\d)/g, (_, at: string) => String(parts[Number(at) - 1]));
const trans = {
  __: filled,
  _n: (one: string, many: string, count: number, ...rest: unknown[]) =>
    filled(count === 1 ? one : many, ...rest)
} as never;

const aTool = (name: string, state: OfferedTool['state']): OfferedTool => ({
  name,
  state,
  description: 'Does it.',
  schema: {},
  before: '',
  schema_before: {},
  hidden_characters: 0
});

function aServer(change: Partial<ToolServer> = {}): ToolServer {
  return {
    name: 'issues',
    owner: 'ada',
    mine: true,
    shared: false,
    command: ['/usr/bin/npx', '-y', '@example/issues@1'],
    variables: ['TOKEN'],
    address: '',
    headers: [],
    tools: [aTool('find', 'approved'), aTool('close', 'new')],
    agents: [],
    problem: '',
    warnings: [],
    looked_at: '2026-11-28T06:00:00Z',
    hash: 'h1',
    proposal: null,
    ...change
  };
}

async function opened(items: ToolServer[], answers: Parameters<typeof fakeServer>[0] = {}) {
  const answer = { items, problems: [] as string[] };
  const server = fakeServer({ 'GET tool-servers': () => ({ json: answer }), ...answers });
  const { events, happen } = fakeEvents(server.client);
  const store = new ToolServersStore(server.client, events);
  await store.refresh();
  return { answer, happen, server, store };
}

describe('the tool servers', () => {
  it('show nothing else in place of one that is gone', async () => {
    const { answer, store } = await opened([aServer(), aServer({ name: 'other' })]);
    answer.items = [aServer()];
    store.choose('other');
    await store.refresh();
    expect([store.gone, store.shown, store.detail]).toEqual(['other', null, null]);
    store.dismissGone();
    await until(() => store.detail?.name === 'issues');
    expect(store.gone).toBeNull();
  });

  it('are approved as they are ticked and shown', async () => {
    const approved = aServer({ tools: [aTool('find', 'new'), aTool('close', 'approved')] });
    const { answer, server, store } = await opened([aServer()], {
      'PUT tool-servers/issues/approval': approved
    });
    expect([...store.ticked]).toEqual(['find']);
    expect(store.isChanged).toBe(false);
    store.tick('close', true);
    store.tick('find', false);
    expect(store.isChanged).toBe(true);
    answer.items = [approved];
    expect(await store.approve(store.detail!)).toBe(true);
    const sent = server.requests.find(({ line }) => line.startsWith('PUT'));
    expect(sent?.body).toEqual({ tools: ['close'], hash: 'h1' });
    expect(store.isChanged).toBe(false);
  });

  it('stay as they are while a person reads them, until the person asks', async () => {
    const { answer, happen, store } = await opened([aServer()]);
    store.tick('close', true);
    const newer = aServer({ hash: 'h2', tools: [aTool('find', 'changed')] });
    answer.items = [newer];
    happen({ type: 'tool_servers_changed', name: 'issues' });
    await until(() => store.newer !== null);
    expect(store.detail!.hash).toBe('h1');
    expect([...store.ticked]).toEqual(['find', 'close']);
    store.showNewer();
    expect(store.detail).toEqual(newer);
    expect([...store.ticked]).toEqual([]);
  });

  it('keep the ticks of the person when only the agents that list it change', async () => {
    const { answer, happen, store } = await opened([aServer()]);
    store.tick('close', true);
    answer.items = [aServer({ agents: ['ada'] })];
    happen({ type: 'agent_changed', agent: 'ada' });
    await until(() => store.detail!.agents.length === 1);
    expect(store.newer).toBeNull();
    expect([...store.ticked]).toEqual(['find', 'close']);
  });

  it('say why the server has refused something', async () => {
    const { store } = await opened([aServer()], {
      'PUT tool-servers/issues/approval': refusal(409, 'conflict', 'It has changed.')
    });
    expect(await store.approve(store.detail!)).toBe(false);
    expect(store.refusal).toBe('It has changed.');
  });
});

describe('a form of a tool server', () => {
  it('has a line for each argument and each variable', () => {
    const draft = {
      ...draftOf(null),
      name: ' issues ',
      program: ' npx ',
      arguments: '-y\n\n@example/issues@1',
      environment: 'TOKEN=a=b\n OTHER =',
      shared: true
    };
    expect(newServer(draft)).toEqual({
      name: 'issues',
      program: 'npx',
      arguments: ['-y', '@example/issues@1'],
      environment: { TOKEN: 'a=b', OTHER: '' },
      shared: true
    });
  });

  it('has an address and a line for each header if it is remote', () => {
    const draft = {
      ...draftOf(null),
      kind: 'address' as const,
      name: 'issues',
      program: 'left over',
      address: ' https://mcp.example.com/mcp ',
      headers: 'Authorization: Bearer a:b\nX-Team:1'
    };
    expect(isComplete({ ...draft, address: ' ' })).toBe(false);
    expect(isComplete(draft)).toBe(true);
    expect(newServer(draft)).toEqual({
      name: 'issues',
      address: 'https://mcp.example.com/mcp',
      headers: { Authorization: 'Bearer a:b', 'X-Team': '1' },
      shared: false
    });
    const before = aServer({
      command: [],
      variables: [],
      address: 'https://mcp.example.com/mcp',
      headers: ['Authorization']
    });
    const edited = draftOf(before);
    expect(changeOf(edited, before)).toEqual({});
    expect(changeOf({ ...edited, headers: 'Authorization:\nX-Team: 1' }, before)).toEqual({
      headers: { Authorization: null, 'X-Team': '1' }
    });
    expect(changeOf({ ...edited, address: 'https://b.example.com' }, before)).toEqual({
      address: 'https://b.example.com'
    });
    expect(serverLabel({ ...before, problem: 'No.' }, trans).label).toBe('Cannot be used');
    expect(removalWords(before, trans)).toBe('The values of its headers are deleted.');
  });

  it('sends what differs, and keeps the values of variables that it does not know', () => {
    const before = aServer();
    const draft = draftOf(before);
    expect(changeOf(draft, before)).toEqual({});
    expect(changeOf({ ...draft, shared: true }, before)).toEqual({ shared: true });
    expect(changeOf({ ...draft, environment: 'TOKEN=\nNEW=' }, before)).toEqual({
      environment: { TOKEN: null, NEW: '' }
    });
    expect(changeOf({ ...draft, arguments: '-y' }, before)).toEqual({
      program: '/usr/bin/npx',
      arguments: ['-y']
    });
  });
});

it('the state of a tool server is said in words', () => {
  expect(serverLabel(aServer(), trans).label).toBe('1 tool approved');
  expect(serverLabel(aServer({ problem: 'It ended.' }), trans).label).toBe('Does not start');
  expect(serverLabel(aServer({ tools: [aTool('a', 'changed')] }), trans).label).toBe(
    'Changed since it was approved'
  );
  expect(serverLabel(aServer({ tools: [] }), trans).label).toBe('No tool approved');
  expect(users(aServer(), trans)).toBe(
    'No agent has it yet. To give it to an agent, tick it on the agent’s tab Persona.'
  );
  expect(users(aServer({ agents: ['ada'] }), trans)).toBe('1 agent has it.');
  expect(users(aServer({ tools: [] }), trans)).toMatch('until a person has approved');
  expect(removalWords(aServer({ agents: ['ada', 'eve'] }), trans)).toBe(
    'The values of its variables are deleted. These agents lose its tools: ada, eve.'
  );
  expect(removalWords(aServer(), trans)).toBe('The values of its variables are deleted.');
});
