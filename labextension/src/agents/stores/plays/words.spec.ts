import { readFileSync } from 'fs';
import { join } from 'path';

import { nullTranslator } from '@jupyterlab/translation';

import type { AgentRow } from '../../../api/types';
import { RunStore } from '../../../runs/stores/runs';
import { fakeEvents, fakeServer } from '../../../testing/fakes';
import { aPlay } from '../../../testing/samples';
import { PlaysStore } from './board';
import { TRIGGERS } from './draft';
import { Playbook } from './playbook';
import { emptyInputs, exampleWords, signedRequestCommand, standing } from './words';

const anAgent = (slug: string, change: Partial<AgentRow>) =>
  ({ slug, status: 'idle', ...change }) as AgentRow;
const trans = nullTranslator.load('');
const DOCS = join(__dirname, '../../../../../docs/how-to/write-a-play.md');

it('tells a file with errors from a play that nobody has confirmed', () => {
  const broken = aPlay('a', { reason: 'Line 2: …', confirmed: false, broken: true });
  expect(standing(broken, trans)?.label).toBe('File has errors');
});

it('signs a request as the documentation does', () => {
  const page = readFileSync(DOCS, 'utf8');
  expect(page).toContain(signedRequestCommand('<server>/cabinet/api/hooks/plays/<name>'));
});

it('finds the inputs that were left empty', () => {
  const play = { inputs: ['topic', 'days', 'place'] };
  expect(emptyInputs(play, { topic: 'plums', days: '  ' })).toEqual(['days', 'place']);
});

it('has an example for each trigger that is added', () => {
  expect(TRIGGERS.filter(type => !exampleWords(type, trans))).toEqual([]);
});

describe('who is to carry out a new play', () => {
  const ada = { online: true, mayRun: true, username: 'ada', ownsAll: false, mayPauseAll: false };
  const agents = [
    anAgent('broken', { owner: 'ada', status: 'out_of_service' }),
    anAgent('bens', { owner: 'ben' }),
    anAgent('mine', { owner: 'ada' }),
    anAgent('other', { owner: 'ada' })
  ];

  function store() {
    const server = fakeServer({ 'GET plays': { items: [], problems: [] } });
    const { events } = fakeEvents(server.client);
    const playbook = new Playbook(server.client, events, new RunStore(server.client, events));
    return new PlaysStore(playbook, events, slug => slug);
  }

  it('is the first agent of this person that can, or the one whose plays are shown', () => {
    const plays = store();
    expect(plays.likelyAgent(agents, ada)).toBe('mine');
    plays.agent = 'other';
    expect(plays.likelyAgent(agents, ada)).toBe('other');
    plays.agent = 'bens';
    expect(plays.likelyAgent(agents, ada)).toBe('mine');
    expect(plays.likelyAgent(agents.slice(0, 2), ada)).toBe('broken');
    expect(plays.likelyAgent([], ada)).toBe('');
  });

  it('is only proposed: it is no draft, and takes nothing from one', () => {
    const { form } = store().newPlay();
    form.offer('mine');
    expect([form.draft.agent, form.isDirty]).toEqual(['mine', false]);
    form.write({ agent: '' });
    form.offer('other');
    expect([form.draft.agent, form.isDirty]).toEqual(['', true]);
  });
});
