import { readFileSync } from 'fs';
import { join } from 'path';

import type { AgentDetail, AgentList, AgentRow } from '../../api/types';
import { fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import { AgentStore, MANY } from './agents';

/** What a server told and answered, step by step, while agents were made, worked, paused and removed. */
interface IStep {
  name: string;
  frames: { seq: number }[];
  agents: AgentList;
  details: Record<string, AgentDetail>;
}

const file = join(__dirname, '../../../../tests/fixtures/golden/agents/events.json');
const steps = JSON.parse(readFileSync(file, 'utf8')) as IStep[];
const last = steps[steps.length - 1];
const statuses = (rows: readonly AgentRow[] | null) =>
  Object.fromEntries((rows ?? []).map(({ slug, status }) => [slug, status]));

function open() {
  const server = fakeServer();
  const made = fakeEvents(server.client);
  const store = new AgentStore(server.client, made.events);
  const reads = (line: string) => server.requests.filter(request => request.line === line).length;
  /** The server is now as it was after this step. */
  const become = ({ agents, details }: IStep) => {
    server.answers['GET agents'] = agents;
    for (const slug of ['ada', 'ben']) {
      server.answers[`GET agents/${slug}`] = details[slug] ?? refusal(404, 'not_found', 'No.');
    }
  };
  const receive = (frames: readonly object[]) =>
    frames.forEach(frame => made.socket().receive(frame));
  const shows = (step: IStep) =>
    until(
      () => JSON.stringify(statuses(store.rows)) === JSON.stringify(statuses(step.agents.items))
    );
  become(steps[0]);
  return { ...made, become, reads, receive, server, shows, store };
}

describe('the list of agents', () => {
  it('follows a recorded stream of events to the state of the server', async () => {
    const { become, receive, shows, store } = open();
    store.watchAll();
    await until(() => store.rows !== null);
    for (const step of steps) {
      become(step);
      receive(step.frames);
      await shows(step);
    }
    expect(store.rows).toEqual([last.details.ada]);
  });

  it('has agents in the natural order of their names', async () => {
    const { server, store } = open();
    const [agent] = steps.flatMap(step => step.agents.items);
    const items = ['Agent 10', 'agent 2', 'Agent 1'].map((name, index) => ({
      ...agent,
      name,
      slug: `a-${index}`
    }));
    server.answers['GET agents'] = { ...last.agents, items };
    store.watchAll();
    await until(() => store.rows !== null);
    expect(store.rows!.map(({ name }) => name)).toEqual(['Agent 1', 'agent 2', 'Agent 10']);
  });

  it.each<[string, (frames: object[]) => object[]]>([
    ['out of order', frames => [...frames].reverse()],
    ['twice', frames => frames.flatMap(frame => [frame, frame])],
    ['twice, the second time later', frames => [...frames, ...frames]]
  ])('is right when events come %s', async (_, disorder) => {
    const { become, receive, shows, store } = open();
    store.watchAll();
    await until(() => store.rows !== null);
    become(last);
    receive(disorder(steps.flatMap(step => step.frames)));
    await shows(last);
  });

  it('is read once at a time, however fast events come', async () => {
    const { happen, reads, server, store } = open();
    store.watchAll();
    await until(() => store.rows !== null);
    let [waiting, most] = [0, 0];
    const answers: (() => void)[] = [];
    const answer = server.client.agents.bind(server.client);
    server.client.agents = async () => {
      most = Math.max(most, ++waiting);
      await new Promise<void>(resolve => answers.push(resolve));
      waiting -= 1;
      return answer();
    };
    const burst = () => {
      for (let number = 0; number < MANY; number++) {
        happen({ type: 'agent_changed', agent: `agent-${number}` });
      }
    };
    burst();
    await until(() => waiting === 1);
    burst(); // while the answer is on its way
    const before = reads('GET agents');
    answers.shift()!();
    await until(() => answers.length === 1); // what came meanwhile is read after it
    answers.shift()!();
    await until(() => reads('GET agents') === before + 2);
    expect(most).toBe(1);
  });

  it('is right again after a gap: a reconnect, and a stream that the server restarts', async () => {
    const { become, receive, reconnect, shows, store } = open();
    store.watchAll();
    await until(() => store.rows !== null);
    become(steps[4]);
    reconnect();
    await shows(steps[4]);
    become(last);
    receive([{ type: 'reset', seq: 99 }]);
    await shows(last);
  });

  it('keeps what it knows while the server is away, and says that it is', async () => {
    const { become, reconnect, server, shows, store } = open();
    become(steps[1]);
    store.watchAll();
    await shows(steps[1]);
    delete server.answers['GET agents'];
    reconnect();
    await until(() => store.listProblem === 'offline');
    expect(statuses(store.rows)).toEqual(statuses(steps[1].agents.items));
    become(last);
    reconnect();
    await shows(last);
    expect(store.listProblem).toBeNull();
  });

  it('does not let an old answer take the place of a newer one', async () => {
    const { become, happen, server, shows, store } = open();
    become(steps[3]);
    store.watchAll();
    await shows(steps[3]);
    // The list is asked for while Ada works; its answer comes when she has ended and that is known.
    const { client } = server;
    let answer = (_: AgentList) => undefined as void;
    const slow = new Promise<AgentList>(resolve => (answer = resolve));
    const agents = jest.spyOn(client, 'agents').mockReturnValueOnce(slow);
    const reading = store.readAll();
    become(steps[5]);
    happen({ type: 'agent_changed', agent: 'ada' });
    await until(() => store.get('ada')?.status === 'idle');
    answer(steps[3].agents);
    await reading;
    expect(statuses(store.rows).ada).toBe('idle');
    agents.mockRestore();
  });

  it('reads the list once instead of many agents', async () => {
    const { happen, reads, server, store } = open();
    server.answers['GET agents'] = { items: [] };
    store.watchAll();
    await until(() => store.rows !== null);
    const rows = Array.from({ length: MANY }, (_, index) => `agent-${index}`);
    server.answers['GET agents'] = {
      items: rows.map(slug => ({ ...last.details.ada, slug })),
      problems: ['One is none.']
    };
    rows.forEach(agent => happen({ type: 'agent_changed', agent }));
    await until(() => store.rows?.length === MANY);
    expect(reads('GET agents')).toBe(2);
    expect(rows.some(slug => reads(`GET agents/${slug}`))).toBe(false);
    expect(store.oddities).toEqual(['One is none.']);
  });

  it('reads the details of an agent that is shown beside the list', async () => {
    const { become, happen, server, store } = open();
    become(steps[3]);
    store.watchAll();
    store.watch('ada');
    await until(() => store.rows !== null && store.get('ada') !== null);
    server.answers['GET agents/ada'] = { ...steps[3].details.ada, persona: 'Another text' };
    for (let number = 1; number < MANY; number++) {
      happen({ type: 'agent_changed', agent: `agent-${number}` });
    }
    happen({ type: 'agent_changed', agent: 'ada' });
    await until(() => store.get('ada')?.persona === 'Another text');
  });

  it('reads nothing any more when nobody watches it', async () => {
    const { happen, reads, server, store } = open();
    const end = store.watchAll();
    await until(() => store.rows !== null);
    end();
    end();
    store.watch('ben');
    await until(() => reads('GET agents/ben') === 1);
    happen({ type: 'agent_changed', agent: 'ada' });
    happen({ type: 'agent_changed', agent: 'ben' });
    await until(() => reads('GET agents/ben') === 2); // which comes with or after what is read of Ada
    expect(server.requests.map(({ line }) => line)).toEqual([
      'GET agents',
      'GET agents/ben',
      'GET agents/ben'
    ]);
  });

  it('stops the run of an agent that is known from the list alone', async () => {
    const { become, server, shows, store } = open();
    become(steps[3]);
    store.watchAll();
    await shows(steps[3]);
    const id = steps[3].details.ada.run_id;
    server.answers[`POST runs/${id}/cancel`] = {};
    await store.tellAgent('ada', 'stop');
    expect(store.refusal('ada')).toBeNull();
    expect(server.requests.map(({ line }) => line)).toContain(`POST runs/${id}/cancel`);
  });

  it('says that it may not be read', async () => {
    const { server, store } = open();
    server.answers['GET agents'] = refusal(403, 'not_allowed', 'No.');
    store.watchAll();
    await until(() => store.listProblem === 'forbidden');
    expect(store.rows).toBeNull();
  });
});
