import type { AgentRow } from '../../../api/types';
import { fakePlays } from '../../../testing/fakePlays';
import { until } from '../../../testing/fakes';
import { aPlay, aRun } from '../../../testing/samples';

const anAgent = (slug: string, change: Partial<AgentRow>) =>
  ({ slug, status: 'idle', ...change }) as AgentRow;

describe('the list of plays', () => {
  it('filters by text and agent, and keeps the selected play', async () => {
    const { store } = await fakePlays([
      aPlay('digest', { title: 'Weekly digest' }),
      aPlay('check', { agent: 'ben' }),
      aPlay('tenth', { agent: 'ben-10' }),
      aPlay('second', { agent: 'ben-2' }),
      aPlay('nobodys', { agent: null })
    ]);
    expect(store.agents).toEqual(['ada', 'ben', 'ben-2', 'ben-10']);
    expect(store.current).toBe('digest');
    store.choose('check');
    store.want({ search: 'WEEK dig' });
    expect(store.shown.map(({ slug }) => slug)).toEqual(['digest']);
    expect(store.current).toBe('check');
    store.want({ search: '', agent: 'ben' });
    expect(store.shown.map(({ slug }) => slug)).toEqual(['check']);
  });

  it('finds plays by the name of their agent', async () => {
    const { store } = await fakePlays([aPlay('digest', { agent: 'eve' }), aPlay('check')]);
    store.want({ search: 'night editor' });
    expect(store.shown.map(({ slug }) => slug)).toEqual(['digest']);
  });

  it('selects a play once it was created, and another one once it was removed', async () => {
    const { happen, server, store } = await fakePlays([aPlay('digest')]);
    store.choose('new');
    expect(store.current).toBe('digest');
    server.answers['GET plays'] = { items: [aPlay('digest'), aPlay('new')], problems: [] };
    happen({ type: 'play_changed', play: 'new' });
    await until(() => store.plays?.length === 2);
    expect(store.current).toBe('new');
    server.answers['GET plays'] = { items: [aPlay('digest')], problems: [] };
    happen({ type: 'play_removed', play: 'new' });
    await until(() => store.plays?.length === 1);
    expect(store.current).toBe('digest');
  });

  it('shows why a trigger started nothing, until the play starts', async () => {
    const { happen, store } = await fakePlays([aPlay('digest')]);
    const reason = 'It would start itself again: a → b → a.';
    happen({
      type: 'play_not_started',
      play: 'digest',
      reason,
      trigger: 'on_complete:b:succeeded'
    });
    expect(store.notStarted('digest')?.reason).toBe(reason);
    const run = aRun({ kind: 'play', path: '.playbooks/plays/digest.md' });
    happen({ type: 'run_started', run });
    expect(store.notStarted('digest')).toBeNull();
  });

  it('follows commands that open a play, edit a play, or create a play', async () => {
    const { store } = await fakePlays([aPlay('digest'), aPlay('check')]);
    store.follow({ play: 'check', edit: 'true' });
    expect([store.current, store.isEditing, store.isNew]).toEqual(['check', true, false]);
    store.follow({ play: 'digest' });
    expect([store.current, store.isEditing]).toEqual(['digest', false]);
    store.follow({ new: 'true' });
    expect(store.isNew).toBe(true);
    store.follow({ play: 7 });
    expect(store.current).toBe('digest');
  });
});

describe('a play that is edited', () => {
  it('stays selected, however the list changes', async () => {
    const { happen, server, store } = await fakePlays([aPlay('digest')]);
    store.edit(store.current!);
    server.answers['GET plays'] = { items: [aPlay('a'), aPlay('b')], problems: [] };
    happen({ type: 'play_changed', play: 'a' });
    await until(() => store.plays?.length === 2);
    store.want({ search: 'b' });
    expect(store.current).toBe('digest');
    store.want({ isEditing: false });
    expect(store.current).toBe('b');
  });
});

describe('unsaved edits', () => {
  it('are kept while another play is selected, and are listed by the name of the play', async () => {
    const { store } = await fakePlays([aPlay('digest'), aPlay('check')]);
    const { form } = store.edited(aPlay('digest'));
    let changes = 0;
    store.changed.connect(() => changes++);
    form.write({ title: 'Mine' });
    expect(changes).toBeGreaterThan(0);
    expect([store.isUnsaved('digest'), store.isUnsaved('check')]).toEqual([true, false]);
    store.choose('check');
    expect(store.edited(aPlay('digest')).form.draft.title).toBe('Mine');
    store.newPlay().form.instruct('Sum up.');
    expect(store.drafts.unsaved).toEqual(['digest (fields)', 'new']);
    expect(store.hasBegunNew).toBe(true);
    let isNotified = false;
    store.drafts.changed.connect(() => (isNotified = true));
    store.forget('digest');
    store.forget(null);
    expect(isNotified).toBe(true);
    expect(store.drafts.unsaved).toEqual([]);
    expect(store.hasBegunNew).toBe(false);
    expect(store.edited(aPlay('digest')).form.draft.title).toBe('');
  });
});

describe('a new play', () => {
  it('takes over the unsaved edits of a play that was deleted meanwhile', async () => {
    const play = aPlay('digest', { title: 'Digest', text: '---\ntitle: Digest\n---\nSum up.\n' });
    const { happen, server, store } = await fakePlays([play]);
    store.edited(play).form.write({ title: 'Weekly digest' });
    expect(store.canRenew('digest')).toBe(false);
    server.answers['GET plays'] = { items: [], problems: [] };
    happen({ type: 'play_removed', play: 'digest' });
    await until(() => store.plays?.length === 0);
    expect(store.canRenew('digest')).toBe(true);
    store.renew(play);
    const { form } = store.newPlay();
    expect([form.draft.title, form.slug, form.body.trim(), form.wrong]).toEqual([
      'Weekly digest',
      'digest',
      'Sum up.',
      {}
    ]);
    expect([store.isNew, store.isUnsaved('digest')]).toEqual([true, false]);
  });
});

describe('the agent proposed for a new play', () => {
  const ada = { online: true, mayRun: true, username: 'ada', ownsAll: false, mayPauseAll: false };
  const agents = [
    anAgent('broken', { owner: 'ada', status: 'out_of_service' }),
    anAgent('bens', { owner: 'ben' }),
    anAgent('mine', { owner: 'ada' }),
    anAgent('other', { owner: 'ada' })
  ];

  it('is the first usable agent of this person, or the one whose plays are shown', async () => {
    const { store: plays } = await fakePlays([]);
    expect(plays.likelyAgent(agents, ada)).toBe('mine');
    plays.agent = 'other';
    expect(plays.likelyAgent(agents, ada)).toBe('other');
    plays.agent = 'bens';
    expect(plays.likelyAgent(agents, ada)).toBe('mine');
    expect(plays.likelyAgent(agents.slice(0, 2), ada)).toBe('broken');
    expect(plays.likelyAgent([], ada)).toBe('');
  });

  it('is only proposed: it starts no draft, and does not change one', async () => {
    const { store } = await fakePlays([]);
    const { form } = store.newPlay();
    form.offer('mine');
    expect([form.draft.agent, form.isDirty]).toEqual(['mine', false]);
    form.write({ agent: '' });
    form.offer('other');
    expect([form.draft.agent, form.isDirty]).toEqual(['', true]);
  });
});
