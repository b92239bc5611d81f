import { readFileSync } from 'fs';
import { join } from 'path';
import { nullTranslator } from '@jupyterlab/translation';

import type { AgentTemplate } from '../../api/types';
import { fakeServer, refusal, until } from '../../testing/fakes';
import { NewAgentStore } from './newAgent';
import {
  checkBudget,
  checkCost,
  checkHeartbeat,
  checkName,
  checkSlug,
  fieldsOf,
  slugOf,
  WRONG
} from './newAgentRules';
import { fieldErrorText } from './fieldErrorText';

const trans = nullTranslator.load('');
const file = join(__dirname, '../../../../tests/fixtures/rules/new_agent.json');
const cases = JSON.parse(readFileSync(file, 'utf8')) as Record<
  string,
  { accepted: string[]; refused: string[] }
>;

describe('what is accepted of a new agent', () => {
  const checks: Record<string, (text: string) => string | null> = {
    slug: checkSlug,
    name: checkName,
    heartbeat: checkHeartbeat,
    budget: checkBudget,
    daily_cost_usd: checkCost
  };

  it.each(Object.keys(checks))('%s, as the server says', field => {
    const { accepted, refused } = cases[field];
    expect(accepted.filter(text => checks[field](text))).toEqual([]);
    expect(refused.filter(text => !checks[field](text))).toEqual([]);
  });

  it('has a sentence for everything that is wrong, and leaves the server’s as they are', () => {
    const sentences = Object.values(WRONG).map(code => fieldErrorText(code, trans));
    expect(new Set(sentences).size).toBe(sentences.length);
    expect(sentences.every(text => text.endsWith('.'))).toBe(true);
    expect(fieldErrorText('The server says so.', trans)).toBe('The server says so.');
  });

  it('makes a folder’s name of what people write', () => {
    expect(slugOf('Data steward (EU)')).toBe('data-steward-eu');
    expect(slugOf('Größe & Co.')).toBe('gro-e-co');
    expect(slugOf('Élan')).toBe('elan');
    expect(slugOf('東京')).toBe('');
    expect(checkSlug(slugOf('-x'.repeat(100)))).toBeNull();
  });
});

const research: AgentTemplate = {
  name: 'research',
  title: 'Researcher',
  emoji: '🔎',
  description: 'Finds out',
  heartbeat: '0 8 * * *',
  schedule: 'every day at 08:00',
  when_needed: false,
  budget: 40
};
const ops: AgentTemplate = {
  ...research,
  name: 'ops',
  title: 'Operations',
  heartbeat: '0 */2 * * *',
  budget: 400
};

describe('NewAgentStore', () => {
  async function open(taken: string[] = []) {
    const server = fakeServer({ 'GET agent-templates': { items: [research, ops] } });
    const store = new NewAgentStore(server.client, () => taken);
    await store.load();
    store.choose('research');
    return { server, store };
  }

  it('begins with what the template says, and the name leads the folder', async () => {
    const { store } = await open(['researcher']);
    expect(store.draft).toMatchObject({ name: 'Researcher', slug: 'researcher-2', budget: '40' });
    store.write({ name: 'Data steward' });
    expect(store.draft.slug).toBe('data-steward');
    store.write({ slug: 'steward' });
    store.write({ name: 'Another' });
    expect(store.draft.slug).toBe('steward');
  });

  it('keeps what was written when another template is chosen', async () => {
    const { store } = await open();
    store.write({ budget: '7' });
    store.choose('ops');
    expect(store.draft).toMatchObject({
      template: 'ops',
      name: 'Operations',
      slug: 'operations',
      heartbeat: '0 */2 * * *',
      budget: '7'
    });
    store.choose('absent');
    expect(store.draft.template).toBe('ops');
  });

  it('shows more than three fields when one of the others is wrong', async () => {
    const { server, store } = await open();
    expect(store.needsMore).toBe(false);
    store.write({ name: '' });
    expect([store.needsMore, store.wrong.slug]).toEqual([false, 'slug']);
    store.write({ name: '東京' });
    expect(store.needsMore).toBe(true);
    store.write({ name: 'Tokyo' });
    expect(store.needsMore).toBe(false);
    server.answers['POST agents'] = () => ({
      status: 400,
      json: { error: { kind: 'invalid', message: 'Never due.', detail: { field: 'heartbeat' } } }
    });
    await store.create();
    expect(store.needsMore).toBe(true);
  });

  it('sends nothing while something is wrong', async () => {
    const { server, store } = await open(['taken']);
    store.write({ slug: 'taken', heartbeat: 'often', dailyCost: 'cheap' });
    expect(store.wrong).toEqual({ slug: 'taken', heartbeat: 'heartbeat', dailyCost: 'cost' });
    expect(await store.create()).toBeNull();
    expect(server.requests.filter(({ line }) => line === 'POST agents')).toEqual([]);
  });

  it('sends what was written, and nothing that was left to the server', async () => {
    const { server, store } = await open();
    server.answers['POST agents'] = { slug: 'researcher' };
    store.write({ visibility: 'private', heartbeatEnabled: false });
    const made = store.create();
    expect(store.isBusy).toBe(true);
    expect(await store.create()).toBeNull(); // once
    expect(await made).toEqual({ slug: 'researcher' });
    expect(server.requests.filter(({ line }) => line === 'POST agents').map(r => r.body)).toEqual([
      {
        slug: 'researcher',
        template: 'research',
        visibility: 'private',
        fields: {
          name: 'Researcher',
          heartbeat: '0 8 * * *',
          heartbeat_enabled: false,
          budget: 40
        }
      }
    ]);
    store.write({ runtime: 'claude', dailyCost: ' 2.50 ' });
    expect(fieldsOf(store.draft)).toMatchObject({ runtime: 'claude', daily_cost_usd: 2.5 });
  });

  it('shows the server’s errors at their fields until they are changed, and loses nothing', async () => {
    const { server, store } = await open();
    const errors = [
      { field: 'heartbeat', message: 'It is never due.' },
      { field: 'daily_cost_usd', message: 'Too much.' }
    ];
    server.answers['POST agents'] = () => ({
      status: 400,
      json: { error: { kind: 'invalid', message: 'Both.', detail: { field: 'heartbeat', errors } } }
    });
    store.write({ name: 'Mine' });
    expect(await store.create()).toBeNull();
    expect(store.wrong).toEqual({ heartbeat: 'It is never due.', dailyCost: 'Too much.' });
    expect(store.draft.name).toBe('Mine');
    store.write({ heartbeat: 'every 4h', dailyCost: '1' });
    expect(store.wrong).toEqual({});
    server.answers['POST agents'] = () => ({
      status: 409,
      json: { error: { kind: 'conflict', message: 'It is there.', detail: { field: 'slug' } } }
    });
    await store.create();
    expect(store.wrong).toEqual({ slug: 'It is there.' });
    store.write({ name: 'Other' });
    expect(store.wrong).toEqual({});
  });

  it('says what no field can be named for', async () => {
    const { server, store } = await open();
    server.answers['POST agents'] = refusal(403, 'not_allowed', 'You may not.');
    await store.create();
    expect(store.refusal).toBe('You may not.');
    delete server.answers['POST agents'];
    await store.create();
    expect(store.refusal).toBe('The server cannot be reached.');
    server.answers['GET agent-templates'] = refusal(503, 'unavailable', 'Cabinet is starting.');
    void store.load();
    await until(() => store.refusal === 'Cabinet is starting.');
  });
});
