import { nullTranslator } from '@jupyterlab/translation';

import { ApiError } from '../../api/client';
import { fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import { anArrivingAgent } from '../../testing/samples';
import { AgentActions, agentsToChoose } from './agentActions';
import { AgentStore } from './agents';
import {
  arrivingFacts,
  arrivingPlayWords,
  arrivingSkillWords,
  convertedWords
} from './arrivingWords';
import { newSlugOf } from './page/renamed';
import { runIdIn } from './page/sentInRun';
import { deleteWords } from './removalWords';

const trans = nullTranslator.load('');
const ada = { slug: 'ada', name: 'Ada', etag: 'e1' };

describe('an agent that is renamed', () => {
  it('has its folder renamed first, then its name', async () => {
    const { client, requests } = fakeServer({
      'POST agents/ada/rename': { ...ada, slug: 'eve', etag: 'e2' },
      'PUT agents/eve': { ...ada, slug: 'eve', name: 'Eve' }
    });
    expect(await new AgentActions(client).rename('ada', 'eve', 'Eve')).toMatchObject({
      slug: 'eve'
    });
    expect(requests).toEqual([
      { line: 'POST agents/ada/rename', body: { slug: 'eve' } },
      { line: 'PUT agents/eve', body: { fields: { name: 'Eve' }, etag: 'e2' } }
    ]);
  });

  it('keeps its folder where only the name is another', async () => {
    const { client, requests } = fakeServer({
      'GET agents/ada': ada,
      'PUT agents/ada': { ...ada, name: 'Eve' }
    });
    await new AgentActions(client).rename('ada', 'ada', 'Eve');
    expect(requests.map(({ line }) => line)).toEqual(['GET agents/ada', 'PUT agents/ada']);
  });

  it('keeps its name if the server refuses the folder', async () => {
    const { client, requests } = fakeServer({
      'POST agents/ada/rename': refusal(409, 'conflict', 'Stop its runs first.')
    });
    const renamed = new AgentActions(client).rename('ada', 'eve', 'Eve');
    await expect(renamed).rejects.toThrow('Stop its runs first.');
    expect(requests).toHaveLength(1);
  });

  it('is followed by its page, and a removed one is not', () => {
    const removed = { type: 'agent_removed', agent: 'ada' };
    expect(newSlugOf('ada', { ...removed, renamed_to: 'eve' } as { type: string })).toBe('eve');
    expect(newSlugOf('ben', { ...removed, renamed_to: 'eve' } as { type: string })).toBeNull();
    expect(newSlugOf('ada', { ...removed, renamed_to: '' } as { type: string })).toBeNull();
  });
});

describe('an agent that travels', () => {
  it('is exported with what the person has chosen', async () => {
    const { client, requests } = fakeServer({
      'GET agents/ada/export?memory=true&user=false': {}
    });
    await new AgentActions(client).export('ada', { memory: true, user: false });
    expect(requests).toHaveLength(1);
  });

  it('is imported under the name that the person has chosen', async () => {
    const agent = anArrivingAgent({ slug: 'ada', new_slug: 'ada-2' });
    const { client, requests } = fakeServer({
      'POST agent-bundles': agent,
      'POST agent-bundles/import': { ...ada, slug: 'ada-2' }
    });
    const actions = new AgentActions(client);
    expect(await actions.inspect({ archive: 'UEs=' })).toEqual(agent);
    const choice = { slug: ' ada-2 ', user: false };
    expect(await actions.import({ archive: 'UEs=' }, agent.hash, choice)).toMatchObject({
      slug: 'ada-2'
    });
    expect(requests.map(({ body }) => body)).toEqual([
      { archive: 'UEs=' },
      { archive: 'UEs=', hash: agent.hash, slug: 'ada-2', user: false }
    ]);
  });

  it('is chosen if there are several', () => {
    const several = new ApiError(400, 'invalid', 'Several', {
      field: 'agent',
      agents: ['ada', 'ben']
    });
    expect(agentsToChoose(several)).toEqual(['ada', 'ben']);
    expect(agentsToChoose(new ApiError(400, 'invalid', 'No', {}))).toEqual([]);
    expect(agentsToChoose(new Error('Offline'))).toEqual([]);
  });

  it('of another system is described by what each of its files becomes, and by what is left out', () => {
    const agent = anArrivingAgent({
      cabinet: '',
      system: 'gateway',
      converted: [
        { path: 'sessions.json', becomes: '', note: 'It has no equivalent here.' },
        { path: 'memory.md', becomes: 'memory/MEMORY.md', note: '' }
      ]
    });
    expect(convertedWords(agent, trans)).toEqual([
      ['memory.md', 'memory/MEMORY.md', ''],
      ['sessions.json', 'Left out', 'It has no equivalent here.']
    ]);
    const facts = Object.fromEntries(arrivingFacts(agent, trans));
    expect(facts['Seems to be']).toBe('The configuration of a gateway for chats');
    expect(facts).not.toHaveProperty('Exported by');
  });

  it('is described by what is known of it', () => {
    const facts = Object.fromEntries(arrivingFacts(anArrivingAgent(), trans));
    expect(facts).toEqual({
      Runtime: 'The default of this server',
      Schedule: 'None',
      Memory: 'Not included',
      'Exported by': 'Jupyter Cabinet 0.1.0'
    });
    const more = anArrivingAgent({
      memory: 2,
      role: 'Keeps the books.',
      schedule: 'every day at 8:00',
      tool_servers: [{ name: 'tracker', known: false }]
    });
    expect(Object.fromEntries(arrivingFacts(more, trans))).toMatchObject({
      Role: 'Keeps the books.',
      Memory: '2 files',
      'Tool servers': 'tracker',
      Schedule: 'every day at 8:00'
    });
  });

  it('names the result for each skill and what starts its plays', () => {
    const skill = { name: 'greet', description: '', files: 2, has_scripts: true };
    expect(arrivingSkillWords({ ...skill, state: 'new' }, trans)).toContain('contains scripts');
    expect(arrivingSkillWords({ ...skill, state: 'other' }, trans)).toContain('not added');
    const play = { slug: 'digest', new_slug: 'digest', title: 'Digest', schedule: '' };
    expect(arrivingPlayWords({ ...play, triggers: [] }, trans)).toContain('a person');
    const triggers = [{ type: 'schedule' as const }, { type: 'webhook' as const }];
    const words = arrivingPlayWords({ ...play, schedule: 'daily at 8:00', triggers }, trans);
    expect(words).toBe('Digest. Starts: daily at 8:00, webhook.');
  });
});

describe('what is said before an agent is deleted', () => {
  it('names its plays and counts what it has to do', async () => {
    const { client } = fakeServer({
      'GET plays': {
        items: [
          { name: 'collect', title: 'Collect', agent: 'ada' },
          { name: 'Report', agent: 'ada' },
          { name: 'Other', agent: 'ben' }
        ]
      },
      'GET agents/ada/tasks': {
        tasks: [{ status: 'pending' }, { status: 'in_progress' }, { status: 'completed' }]
      },
      'GET agents/ada/inbox': { messages: [{}], more: 0 }
    });
    const affected = await new AgentActions(client).affected('ada');
    expect(affected).toEqual({ plays: ['Collect', 'Report'], openTasks: 2, unread: 1 });
    const words = deleteWords(affected, trans).join(' ');
    expect(words).toContain('2 open tasks and 1 unread message');
    expect(words).toContain('2 plays use it: Collect, Report.');
    expect(words).toContain('you can restore the agent');
  });

  it('does not list very many plays', () => {
    const plays = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const [, words] = deleteWords({ plays, openTasks: 0, unread: 0 }, trans);
    expect(words).toContain('7 plays use it: a, b, c, d, e and 2 others.');
    expect(deleteWords({ plays: [], openTasks: 0, unread: 0 }, trans)[1]).toBe(
      'No plays depend on it.'
    );
  });
});

describe('the origin of a message', () => {
  it('is the run in which an agent has sent it, or none', () => {
    const id = '0123456789abcdefghjkmnpqrs';
    expect(runIdIn(`${id}/3`)).toBe(id);
    expect(runIdIn('person:ada')).toBeNull();
    expect(runIdIn('')).toBeNull();
  });
});

describe('agents that were put away', () => {
  const kept = (name: string, at: string) => {
    const slug = name.slice(0, 3);
    return { name, slug, agent_name: `${slug.toUpperCase()} the First`, at };
  };
  const list = { items: [{ slug: 'ada' }], archived: [], trashed: [] as object[] };

  it('are known by name and by slug, as the others are', async () => {
    const items = [{ slug: 'ada', name: 'Ada' }];
    const server = fakeServer({
      'GET agents': { ...list, items, archived: [kept('eve-1', '2026-01-01T00:00:00Z')] }
    });
    const store = new AgentStore(server.client, fakeEvents(server.client).events);
    store.watchAll();
    await until(() => store.rows !== null);
    expect(['ada', 'eve', 'ben'].map(slug => store.nameOf(slug))).toEqual([
      'Ada',
      'EVE the First',
      'ben'
    ]);
    const given = ['ADA', 'ada', 'eve the first', 'nobody'];
    expect(given.map(name => store.slugOf(name))).toEqual(['ada', 'ada', 'eve', 'nobody']);
  });

  it('are listed newest first, and again when one is removed', async () => {
    const server = fakeServer({
      'GET agents': {
        ...list,
        archived: [kept('eve-1', '2026-01-01T00:00:00Z')],
        trashed: [kept('ben-1', '2026-02-01T00:00:00Z')]
      }
    });
    const { events, happen } = fakeEvents(server.client);
    const store = new AgentStore(server.client, events);
    store.watchAll();
    await until(() => store.putAway.length === 2);
    expect(store.putAway.map(({ slug, isDeleted }) => [slug, isDeleted])).toEqual([
      ['ben', true],
      ['eve', false]
    ]);
    server.answers['GET agents'] = {
      ...list,
      items: [],
      trashed: [kept('ada-1', '2026-03-01T00:00:00Z')]
    };
    server.answers['GET agents/ada'] = refusal(404, 'not_found', 'No.');
    happen({ type: 'agent_removed', agent: 'ada' });
    await until(() => store.putAway[0]?.slug === 'ada');
    server.answers['GET agents'] = list;
    server.answers['GET agents/ada'] = { slug: 'ada' };
    happen({ type: 'agent_changed', agent: 'ada' });
    await until(() => store.putAway.length === 0);
    expect(store.rows).toHaveLength(1);
  });
});
