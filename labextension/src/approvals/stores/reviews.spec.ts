import { nullTranslator } from '@jupyterlab/translation';

import { EventStream } from '../../api/events';
import type { Review } from '../../api/types';
import { FakeSocket, fakeServer, until } from '../../testing/fakes';
import { reviewNote, reviewPlace, ReviewStore, reviewTitle } from './reviews';

const trans = nullTranslator.load('');
const SOUL: Review = {
  kind: 'soul',
  name: 'sage',
  title: 'Sage',
  agent: '',
  count: 1,
  source: '',
  changed: false,
  since: '2026-11-28T06:00:00Z',
  may_decide: true
};
const SKILL: Review = { ...SOUL, kind: 'skill', name: 'greet', title: 'greet', source: 'from x' };

async function open(items: Review[] | { status: number; json: object }) {
  const server = fakeServer({
    'GET reviews': Array.isArray(items) ? { items } : () => items
  });
  const events = new EventStream(server.client);
  const store = new ReviewStore(server.client, events);
  let changes = 0;
  store.changed.connect(() => void changes++);
  events.open();
  FakeSocket.last.open();
  await until(() => changes > 0);
  let seq = 0;
  const happen = (event: object) =>
    FakeSocket.last.receive({ type: 'event', seq: ++seq, event, at: '' });
  return { server, store, happen };
}

describe('ReviewStore', () => {
  it('tells apart what this person decides and what others do', async () => {
    const theirs = { ...SKILL, may_decide: false };
    const { store } = await open([SOUL, theirs]);
    expect(store.items).toHaveLength(2);
    expect(store.mine).toEqual([SOUL]);
    expect(store.others).toEqual([theirs]);
  });

  it('reads the list again after what changes it, and after nothing else', async () => {
    const { server, store, happen } = await open([]);
    server.answers['GET reviews'] = { items: [SKILL] };
    happen({ type: 'agent_changed', agent: 'sage' });
    await new Promise(resolve => setTimeout(resolve, 250));
    expect(store.items).toEqual([]);
    happen({ type: 'skills_changed', skill: 'greet', at: '' });
    await until(() => store.items.length === 1);
    server.answers['GET reviews'] = { items: [] };
    happen({
      type: 'effects_applied',
      agent: 'sage',
      run_id: 'r',
      applied: 0,
      refused: 1,
      held: 0
    });
    await until(() => store.items.length === 0);
    server.answers['GET reviews'] = { items: [SOUL] };
    happen({ type: 'soul_proposal_closed', agent: 'sage', run_id: 'r', accepted: true, by: 'Ada' });
    await until(() => store.items.length === 1);
  });

  it('has nothing for a person who may not see agents', async () => {
    const { store } = await open({ status: 403, json: { message: 'No.' } });
    expect(store.mine).toEqual([]);
    expect(store.problem).not.toBeNull();
  });
});

it('says what waits, why, and where it is decided', () => {
  expect(reviewTitle({ ...SOUL, title: 'Sa\u202ege' }, trans)).not.toContain('\u202e');
  expect(reviewTitle(SOUL, trans)).toBe('Sage proposes a new SOUL.md');
  expect(reviewTitle(SKILL, trans)).toBe('The skill greet is not approved');
  expect(reviewTitle({ ...SKILL, changed: true }, trans)).toContain('has changed since');
  expect(reviewNote(SKILL, trans)).toBe('from x');
  expect(reviewNote({ ...SKILL, may_decide: false }, trans)).toContain('permission');
  expect(reviewPlace(SOUL)).toEqual([
    'cabinet:open-agent',
    { agent: 'sage', tab: 'files', file: 'SOUL.md' }
  ]);
  const server: Review = { ...SKILL, kind: 'tool_server', name: 'toy', title: 'toy' };
  expect(reviewTitle(server, trans)).toBe('The tool server toy is not approved');
  expect(reviewPlace(server)).toEqual(['cabinet:skills', { toolServer: 'toy' }]);
  const held: Review = { ...SOUL, kind: 'directives', name: 'r1', agent: 'sage', count: 2 };
  expect(reviewTitle(held, trans)).toBe('2 effects of Sage wait for you');
  expect(reviewNote(held, trans)).toContain('from outside');
  const inRun = { agent: 'sage', tab: 'history', run: 'r1' };
  expect(reviewPlace(held)).toEqual(['cabinet:open-agent', inRun]);
  const plan: Review = { ...SOUL, kind: 'plan', name: 'p1', title: 'Report' };
  expect(reviewTitle(plan, trans)).toBe('The plan Report has 1 proposal');
  expect(reviewNote(plan, trans)).toContain('steps');
  expect(reviewPlace(plan)).toEqual(['cabinet:plans', { plan: 'p1' }]);
  expect(reviewPlace(SKILL)).toEqual(['cabinet:skills', { skill: 'greet' }]);
});
