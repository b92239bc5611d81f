import type { SkillDetail, SkillRow } from '../../api/types';
import { fakeEvents, fakeServer, type IFakeServer, refusal, until } from '../../testing/fakes';
import { archiveOf } from '../../shared/archive';
import {
  consequence,
  facts,
  fileNote,
  hiddenLabel,
  stateLabel,
  unseenLabel,
  whyNotEdit
} from './labels';
import { SkillsStore } from './skills';

const filled = (text: string, ...parts: unknown[]) =>
  text.replace(/%(\d)/g, (_, at: string) => String(parts[Number(at) - 1]));
const trans = {
  __: filled,
  _n: (one: string, many: string, count: number, ...rest: unknown[]) =>
    filled(count === 1 ? one : many, ...rest)
} as never;

function aSkill(change: Partial<SkillDetail> = {}): SkillDetail {
  return {
    name: 'weekly-report',
    description: 'Writes the weekly report.',
    state: 'pending',
    hash: 'h1',
    files: 2,
    size: 2048,
    has_scripts: false,
    agents: [],
    source: 'from brought',
    approved_by: '',
    problems: [],
    file: '.playbooks/skills/weekly-report/SKILL.md',
    hidden_characters: 0,
    unseen: [],
    contents: [
      {
        path: 'SKILL.md',
        size: 3,
        script: false,
        change: 'same',
        text: 'Do.',
        before: null,
        cut: false
      }
    ],
    ...change
  };
}

async function opened(items: SkillRow[], answers: Parameters<typeof fakeServer>[0] = {}) {
  const details = Object.fromEntries(
    items.map(each => [`GET skills/${each.name}`, aSkill({ name: each.name })])
  );
  const server = fakeServer({ 'GET skills': { items, problems: [] }, ...details, ...answers });
  const { events, happen } = fakeEvents(server.client);
  const store = new SkillsStore(server.client, events);
  await store.refresh();
  return { happen, server, store };
}

const sentTo = (server: IFakeServer, path: string) =>
  server.requests.filter(({ line }) => line === path).map(({ body }) => body);

describe('the skills', () => {
  it('show the first until the person chooses another', async () => {
    const { store } = await opened([aSkill({ name: 'a' }), aSkill({ name: 'b' })]);
    expect([store.shown, store.detail?.name]).toEqual(['a', 'a']);
    store.choose('b');
    expect(store.detail).toBeNull();
    await until(() => store.detail !== null);
    expect(store.detail?.name).toBe('b');
  });

  it('are decided by the hash of the files that the person has seen', async () => {
    const path = 'POST skills/weekly-report/decision';
    const { server, store } = await opened([aSkill()], { [path]: aSkill({ state: 'approved' }) });
    store.detail = aSkill({ unseen: ['logo.png'] });
    expect(await store.decide(store.detail!, 'approve')).toBe(true);
    expect(sentTo(server, path)).toEqual([
      { hash: 'h1', decision: 'approve', unseen: ['logo.png'] }
    ]);
  });

  it('say why a decision was refused, and show the files as they are now', async () => {
    const path = 'POST skills/weekly-report/decision';
    const { server, store } = await opened([aSkill()], {
      [path]: refusal(409, 'conflict', 'The skill has changed since you read it.')
    });
    const before = sentTo(server, 'GET skills').length;
    expect(await store.decide(store.detail!, 'approve')).toBe(false);
    expect(store.refusal).toBe('The skill has changed since you read it.');
    expect(sentTo(server, 'GET skills')).toHaveLength(before + 1);
  });

  it('never exchange the files that a person reads', async () => {
    const { happen, server, store } = await opened([aSkill()]);
    server.answers['GET skills/weekly-report'] = aSkill({ hash: 'h2' });
    happen({ type: 'agent_changed', agent: 'a' });
    await until(() => store.newer !== null);
    expect(store.detail?.hash).toBe('h1');
    await store.reload();
    expect([store.detail?.hash, store.newer]).toEqual(['h2', null]);
    server.answers['GET skills/weekly-report'] = aSkill({ hash: 'h1', state: 'approved' });
    happen({ type: 'skills_changed', skill: 'weekly-report', at: '' });
    await until(() => store.newer !== null);
    server.answers['GET skills/weekly-report'] = aSkill({ hash: 'h2', state: 'rejected' });
    await store.refresh();
    expect([store.detail?.state, store.newer]).toEqual(['rejected', null]);
  });

  it('are read again when one has changed', async () => {
    const { happen, server, store } = await opened([aSkill()]);
    server.answers['GET skills'] = { items: [aSkill({ state: 'approved' })], problems: [] };
    happen({ type: 'skills_changed', skill: 'weekly-report', at: '' });
    await until(() => store.items?.[0].state === 'approved');
    expect(store.items).toHaveLength(1);
  });
});

describe('the words about skills', () => {
  it('name each state and what follows from it', () => {
    const states = ['pending', 'approved', 'changed', 'rejected', 'invalid'] as const;
    expect(states.map(state => stateLabel(aSkill({ state }), trans).label)).toEqual([
      'Not approved',
      'Approved',
      'Changed since it was approved',
      'Rejected',
      'Not valid'
    ]);
    expect(consequence(aSkill({ state: 'approved', agents: ['a', 'b'] }), trans)).toBe(
      '2 agents have it.'
    );
    expect(facts(aSkill(), trans)).toBe('2 files · 2 kB · from brought');
  });

  it('say what a person cannot see, and that the form would lose it', () => {
    expect(hiddenLabel(aSkill(), trans)).toBeNull();
    expect(whyNotEdit(aSkill(), trans)).toBeNull();
    expect(unseenLabel(aSkill(), trans)).toBeNull();
    expect(unseenLabel(aSkill({ unseen: ['a.png', 'b.md'] }), trans)).toContain('a.png, b.md');
    const hiding = aSkill({ hidden_characters: 3 });
    expect(hiddenLabel(hiding, trans)).toContain('3 invisible characters');
    const [file] = aSkill().contents;
    const shown = { ...file, text: 'Collect\\u{200b}.' };
    const notes = { ...shown, path: 'notes.md' };
    expect(whyNotEdit({ ...hiding, contents: [shown] }, trans)).toContain('invisible');
    expect(whyNotEdit({ ...hiding, contents: [file, notes] }, trans)).toBeNull();
    expect(whyNotEdit(aSkill({ contents: [{ ...file, cut: true }] }), trans)).toContain('whole');
    expect(fileNote({ ...file, script: true, change: 'added' }, trans)).toBe(
      'script, only for isolated runs · new'
    );
  });

  it('send a file of this computer as it is', async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
    const sent = await archiveOf({ arrayBuffer: async () => bytes.buffer } as Blob);
    expect(Uint8Array.from(atob(sent), each => each.charCodeAt(0))).toEqual(bytes);
  });
});
