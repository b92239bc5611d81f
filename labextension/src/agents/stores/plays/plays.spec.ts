import { nullTranslator } from '@jupyterlab/translation';

import type { PlayDetail, PlayRow } from '../../../api/types';
import { RunStore } from '../../../runs/stores/runs';
import { fakeEvents, fakeServer, refusal, until } from '../../../testing/fakes';
import { after, aPlay, aRun } from '../../../testing/samples';
import { PlaysStore } from './board';
import { changes, draftOf, EMPTY_PLAY, newTrigger, NO_SCHEDULE, wrongIn } from './draft';
import { EditedPlay, NewPlayForm } from './form';
import { followersOf, playGraph } from './graph';
import { Playbook } from './playbook';
import { standing, startWords, wrongPlayWords } from './words';

const trans = nullTranslator.load('');

const SLUGS = { agent: (slug: string) => slug, play: (slug: string) => slug };
const NAMES: Readonly<Record<string, string>> = { eve: 'Night Editor' };

async function made(items: PlayRow[]) {
  const server = fakeServer({
    'GET plays': { items, problems: [] },
    ...Object.fromEntries(
      items.flatMap(play => [
        [`GET plays/${play.slug}`, play],
        [`GET plays/${play.slug}/history`, { items: [] }]
      ])
    )
  });
  const { events, happen } = fakeEvents(server.client);
  const playbook = new Playbook(server.client, events, new RunStore(server.client, events));
  const store = new PlaysStore(playbook, events, slug => NAMES[slug] ?? slug);
  await until(() => store.plays !== null);
  return { events, happen, playbook, server, store };
}

describe('the graph of plays', () => {
  const plays = [
    aPlay('collect', { schedule: 'Daily at 08:00' }),
    aPlay('digest', { triggers: [after('collect'), after('collect', 'failed')] }),
    aPlay('report', { triggers: [{ type: 'file_changed', path: 'a/*.md' }, after('digest')] }),
    aPlay('check', { triggers: [{ type: 'file_changed', path: 'a/*.md' }] }),
    aPlay('late', { triggers: [after('gone')] }),
    aPlay('ask', { triggers: [{ type: 'manual' }] })
  ];

  it('has a node for each play that is linked, and one for each thing that starts several', () => {
    const { alone, edges, nodes } = playGraph(plays);
    expect(nodes.map(({ id }) => id).sort()).toEqual([
      'file/a/*.md',
      'play/check',
      'play/collect',
      'play/digest',
      'play/gone',
      'play/late',
      'play/report',
      'schedule/Daily at 08:00'
    ]);
    expect(nodes.find(({ id }) => id === 'play/gone')).toMatchObject({ kind: 'missing' });
    expect(alone.map(({ slug }) => slug)).toEqual(['ask']);
    expect(edges.map(({ ending, from, to }) => `${from} ${to} ${ending}`)).toEqual([
      'schedule/Daily at 08:00 play/collect null',
      'play/collect play/digest succeeded',
      'play/collect play/digest failed',
      'file/a/*.md play/report null',
      'play/digest play/report succeeded',
      'file/a/*.md play/check null',
      'play/gone play/late succeeded'
    ]);
    expect(edges.some(({ isCircular }) => isCircular)).toBe(false);
  });

  it('marks what leads back to itself, and nothing beside', () => {
    const { edges } = playGraph([
      aPlay('a', { triggers: [after('c')] }),
      aPlay('b', { triggers: [after('a')] }),
      aPlay('c', { triggers: [after('b')] }),
      aPlay('self', { triggers: [after('self', 'failed')] }),
      aPlay('end', { triggers: [after('c')] })
    ]);
    const marked = edges.filter(({ isCircular }) => isCircular).map(({ to }) => to);
    expect(marked.sort()).toEqual(['play/a', 'play/b', 'play/c', 'play/self']);
  });

  it('is drawn for a thousand plays and for none', () => {
    const chain = Array.from({ length: 1000 }, (_, index) =>
      aPlay(`p${index}`, { triggers: index ? [after(`p${index - 1}`)] : [] })
    );
    expect(playGraph(chain).edges).toHaveLength(999);
    expect(playGraph([])).toEqual({ nodes: [], edges: [], alone: [] });
  });

  it('says what a play starts', () => {
    expect(followersOf('collect', plays).map(({ ending, play }) => [play.slug, ending])).toEqual([
      ['digest', 'succeeded'],
      ['digest', 'failed']
    ]);
  });
});

describe('the list of plays', () => {
  it('filters by words and agent, and keeps the selected play', async () => {
    const { store } = await made([
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
    const { store } = await made([aPlay('digest', { agent: 'eve' }), aPlay('check')]);
    store.want({ search: 'night editor' });
    expect(store.shown.map(({ slug }) => slug)).toEqual(['digest']);
  });

  it('is right after one was made, and after one was removed', async () => {
    const { happen, server, store } = await made([aPlay('digest')]);
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

  it('says why a trigger started nothing until the play has started', async () => {
    const { happen, store } = await made([aPlay('digest')]);
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

  it('follows a command that names a play, to be changed or not, and one that makes a new one', async () => {
    const { store } = await made([aPlay('digest'), aPlay('check')]);
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

describe('the fields of a play', () => {
  const fields = {
    title: 'Digest',
    agent: 'ada',
    schedule: { type: 'weekly', days: ['mon', 'fri'], at: '08:30', activeHours: '', note: 'kept' },
    triggers: [{ on_complete: { play: 'collect' } }],
    tools: ['Read', 'Grep']
  };
  const play = aPlay('digest', {
    fields: fields as unknown as PlayDetail['fields'],
    triggers: [after('collect')]
  });

  it('come from the file and go back, and only what was changed is sent', () => {
    const draft = draftOf(play);
    expect(draft.schedule).toMatchObject({ type: 'weekly', days: 'mon, fri', at: '08:30' });
    expect(draft.tools).toBe('Read, Grep');
    expect(changes(draft, draft, fields)).toEqual({});
    const schedule = { ...draft.schedule, at: '09:00' };
    expect(changes(draft, { ...draft, title: ' ', schedule }, fields)).toEqual({
      title: null,
      schedule: { type: 'weekly', days: ['mon', 'fri'], at: '09:00', note: 'kept' }
    });
    expect(changes(draft, { ...draft, schedule: NO_SCHEDULE, triggers: [] }, fields)).toEqual({
      schedule: null,
      triggers: null
    });
  });

  it('have each trigger with what it asks for', () => {
    const triggers = [
      { ...newTrigger('on_complete'), play: 'a', status: 'failed' as const },
      { ...newTrigger('file_changed'), path: 'a/*.md' },
      { ...newTrigger('goal_behind'), metric: 'leads', agent: 'eve' },
      newTrigger('agent_message'),
      newTrigger('webhook')
    ];
    expect(changes(EMPTY_PLAY, { ...EMPTY_PLAY, triggers }, {}).triggers).toEqual([
      { type: 'on_complete', play: 'a', status: 'failed' },
      { type: 'file_changed', path: 'a/*.md' },
      { type: 'goal_behind', metric: 'leads', agent: 'eve' },
      { type: 'agent_message' },
      { type: 'webhook' }
    ]);
  });

  it('keep a schedule that another installation has written into a trigger', () => {
    const triggers = [{ type: 'schedule', cron: '0 8 * * *' }];
    const given = { triggers } as unknown as PlayDetail['fields'];
    const draft = draftOf({ fields: given, triggers: [{ type: 'schedule' }] });
    expect(draft.schedule).toMatchObject({ type: 'cron', cron: '0 8 * * *' });
    expect(changes(draft, { ...draft, title: 'New' }, given)).toEqual({ title: 'New' });
    const more = [...draft.triggers, newTrigger('webhook')];
    expect(changes(draft, { ...draft, triggers: more }, given)).toEqual({
      schedule: { type: 'cron', cron: '0 8 * * *' },
      triggers: [{ type: 'schedule' }, { type: 'webhook' }]
    });
    expect(changes(draft, { ...draft, schedule: NO_SCHEDULE, triggers: [] }, given)).toEqual({
      schedule: null,
      triggers: null
    });
  });

  it.each([
    ['4h', { type: 'interval', every: '4h' }],
    ['0 8 * * *', { type: 'cron', cron: '0 8 * * *' }],
    [{ every: '30m' }, { type: 'interval', every: '30m' }],
    [
      { type: 'daily', days: 'weekdays', at: '09:00' },
      { type: 'weekly', days: 'weekdays' }
    ],
    [{ at: '09:00' }, { type: 'daily', at: '09:00' }]
  ])('show the schedule %j as the server reads it', (schedule, shown) => {
    const fields = { schedule } as unknown as PlayDetail['fields'];
    const draft = draftOf({ fields, triggers: [] });
    expect(draft.schedule).toMatchObject(shown);
    expect(wrongIn(draft)).toEqual({});
  });

  it('let a trigger wait for any other play and for any goal', () => {
    const triggers = [newTrigger('on_complete'), newTrigger('goal_behind')];
    expect(changes(EMPTY_PLAY, { ...EMPTY_PLAY, triggers }, {}).triggers).toEqual([
      { type: 'on_complete' },
      { type: 'goal_behind' }
    ]);
    const waits = aPlay('report', {
      triggers: [{ type: 'on_complete', play: null, status: 'failed' }]
    });
    expect(startWords(waits, SLUGS, trans)).toBe('When any other play has failed');
    const plays = [waits, aPlay('collect')];
    expect(followersOf('collect', plays)).toEqual([{ play: waits, ending: 'failed' }]);
    expect(followersOf('report', plays)).toEqual([]);
    expect(playGraph(plays).nodes.map(({ kind }) => kind)).toEqual(['source', 'play']);
  });

  it('that the form cannot show stay as they are', () => {
    const given = { tools: [], timeout_seconds: 60 } as unknown as PlayDetail['fields'];
    const draft = draftOf({ fields: given, triggers: [] });
    expect(draft.tools).toBeNull();
    expect(changes(draft, { ...draft, seconds: '90' }, given)).toEqual({ timeout_seconds: 90 });
  });

  it('are checked as the person types, by the names that the server has for them', () => {
    const schedule = { ...NO_SCHEDULE, type: 'weekly' as const, days: 'mon-fry', at: '25:00' };
    const triggers = [
      newTrigger('on_complete'),
      { ...newTrigger('file_changed'), path: '../x' },
      newTrigger('goal_behind'),
      newTrigger('webhook')
    ];
    const wrong = wrongIn({ ...EMPTY_PLAY, seconds: '0', schedule, triggers });
    expect(Object.keys(wrong).sort()).toEqual([
      'schedule.at',
      'schedule.days',
      'timeout_seconds',
      'triggers[2].path'
    ]);
    Object.values(wrong).forEach(code => expect(wrongPlayWords(code, trans)).toMatch(/\.$/));
    const right = { ...NO_SCHEDULE, type: 'weekly' as const, days: 'Mon-fri, sunday', at: '8:30' };
    expect(wrongIn({ ...EMPTY_PLAY, schedule: right })).toEqual({});
    const cron = { ...NO_SCHEDULE, type: 'cron' as const, cron: 'every 4h' };
    expect(wrongIn({ ...EMPTY_PLAY, schedule: cron })).toHaveProperty(['schedule.cron']);
    const every = { ...NO_SCHEDULE, type: 'interval' as const, every: 'every 30m' };
    expect(wrongIn({ ...EMPTY_PLAY, schedule: every })).toEqual({});
  });
});

describe('the form of a play', () => {
  it('saves what was changed under the version that was read', async () => {
    const play = aPlay('digest', { fields: { title: 'Old' } as unknown as PlayDetail['fields'] });
    const { playbook, server } = await made([play]);
    server.answers['PUT plays/digest'] = body => ({
      json: { ...play, etag: 'e2', ...(body as object) }
    });
    const form = new EditedPlay(playbook, play);
    expect(form.isDirty).toBe(false);
    form.write({ title: 'New' });
    expect(await form.save()).toBe(true);
    expect(server.requests.at(-1)?.body).toEqual({ fields: { title: 'New' }, etag: 'e1' });
    expect(form.isDirty).toBe(false);
  });

  it('loses nothing where two people change it, and keeps of the others what one has not touched', async () => {
    const of = (fields: object, etag: string) =>
      aPlay('digest', { etag, fields: fields as unknown as PlayDetail['fields'] });
    const { playbook, server } = await made([of({}, 'e1')]);
    const form = new EditedPlay(playbook, of({ title: 'Old', category: 'a' }, 'e1'));
    form.write({ title: 'Mine' });
    form.look(of({ title: 'Theirs', category: 'b' }, 'e2'));
    expect(form.isConflict).toBe(true);
    expect(await form.save()).toBe(false);
    expect(server.requests.some(({ line }) => line.startsWith('PUT'))).toBe(false);
    form.keepMine();
    expect([form.draft.title, form.draft.category, form.isConflict]).toEqual(['Mine', 'b', false]);
    server.answers['PUT plays/digest'] = { ...of({ title: 'Mine', category: 'b' }, 'e3') };
    await form.save();
    expect(server.requests.at(-1)?.body).toEqual({ fields: { title: 'Mine' }, etag: 'e2' });
    form.write({ title: 'Again' });
    form.look(of({ title: 'Theirs again' }, 'e4'));
    form.takeTheirs();
    expect([form.draft.title, form.isDirty]).toEqual(['Theirs again', false]);
  });

  it('keeps what is written while it is saved, and is in no conflict with itself', async () => {
    const of = (title: string, etag: string) =>
      aPlay('digest', { etag, fields: { title } as unknown as PlayDetail['fields'] });
    const { playbook, server } = await made([of('Old', 'e1')]);
    server.answers['PUT plays/digest'] = of('Mine', 'e2');
    const form = new EditedPlay(playbook, of('Old', 'e1'));
    form.write({ title: 'Mine' });
    const saving = form.save();
    form.write({ category: 'news' });
    form.look(of('Mine', 'e2'));
    expect(form.isConflict).toBe(false);
    expect(await saving).toBe(true);
    expect([form.draft.title, form.draft.category, form.isConflict]).toEqual([
      'Mine',
      'news',
      false
    ]);
    server.answers['PUT plays/digest'] = refusal(409, 'conflict', 'It was changed.');
    server.answers['GET plays/digest'] = of('By hand', 'e3');
    expect(await form.save()).toBe(false);
    expect([form.isConflict, form.theirs.title]).toEqual([true, 'By hand']);
  });

  it('stays as it is where the server refuses, and says why at the field', async () => {
    const { playbook, server } = await made([]);
    const form = new NewPlayForm(playbook, () => ['digest']);
    form.write({ title: 'Digest' });
    expect(form.wrong).toMatchObject({ slug: 'play_taken', body: 'body' });
    expect(await form.create()).toBeNull();
    expect(form.isTried).toBe(true);
    form.name('weekly');
    form.write({ title: 'Weekly digest' });
    expect(form.slug).toBe('weekly');
    form.instruct('Sum up.');
    const schedule = { ...NO_SCHEDULE, type: 'cron' as const, cron: '0 0 31 2 *' };
    form.write({ schedule });
    const errors = [{ field: 'schedule', message: 'It is never due.' }];
    server.answers['POST plays'] = refusal(400, 'invalid', 'It is never due.', { errors });
    expect(await form.create()).toBeNull();
    expect(form.wrong).toEqual({ schedule: 'It is never due.' });
    expect(form.body).toBe('Sum up.');
    form.write({ schedule: NO_SCHEDULE });
    expect(form.wrong).toEqual({});
    server.answers['POST plays'] = aPlay('weekly');
    expect((await form.create())?.slug).toBe('weekly');
    expect(server.requests.at(-1)?.body).toEqual({
      slug: 'weekly',
      fields: { title: 'Weekly digest' },
      body: 'Sum up.'
    });
  });
});

describe('a play that is edited', () => {
  it('stays selected, whatever happens to the list', async () => {
    const { happen, server, store } = await made([aPlay('digest')]);
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

describe('what was not saved', () => {
  it('stays while another play is selected, and is known by its name', async () => {
    const { store } = await made([aPlay('digest'), aPlay('check')]);
    const { form } = store.edited(aPlay('digest'));
    let told = 0;
    store.changed.connect(() => told++);
    form.write({ title: 'Mine' });
    expect(told).toBeGreaterThan(0);
    expect([store.isUnsaved('digest'), store.isUnsaved('check')]).toEqual([true, false]);
    store.choose('check');
    expect(store.edited(aPlay('digest')).form.draft.title).toBe('Mine');
    store.newPlay().form.instruct('Sum up.');
    expect(store.drafts.unsaved).toEqual(['digest (fields)', 'new']);
    let isTold = false;
    store.drafts.changed.connect(() => (isTold = true));
    store.forget('digest');
    store.forget(null);
    expect(isTold).toBe(true);
    expect(store.drafts.unsaved).toEqual([]);
    expect(store.edited(aPlay('digest')).form.draft.title).toBe('');
  });
});

describe('a new play', () => {
  it('takes what was written into one that was deleted meanwhile', async () => {
    const play = aPlay('digest', { title: 'Digest', text: '---\ntitle: Digest\n---\nSum up.\n' });
    const { happen, server, store } = await made([play]);
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

  it('says what is missing at the field that is empty', async () => {
    const { store } = await made([]);
    const { form } = store.newPlay();
    expect(form.wrong).toEqual({ body: 'body' });
    expect(await form.create()).toBeNull();
    expect(form.wrong).toEqual({ title: 'untitled', body: 'body' });
    form.write({ title: 'Weekly digest' });
    expect(form.wrong).toEqual({ body: 'body' });
    form.name('');
    expect(form.wrong).toMatchObject({ slug: expect.anything() });
  });
});

describe('plays in words', () => {
  it('say that an agent is gone before anything that has to be confirmed', () => {
    const play = aPlay('a', { agent_gone: true, confirmed: false, reason: 'x' });
    expect(standing(play, trans)?.label).toBe('Agent not found');
  });

  it('say what starts them', () => {
    const play = aPlay('a', {
      schedule: 'Fridays at 16:00',
      triggers: [after('b', 'failed'), { type: 'agent_message', agent: 'eve' }]
    });
    expect(
      startWords(
        play,
        { agent: slug => NAMES[slug] ?? slug, play: slug => slug.toUpperCase() },
        trans
      )
    ).toBe('Fridays at 16:00 · When B has failed · When a message for Night Editor arrives');
    expect(startWords(aPlay('b'), SLUGS, trans)).toBe('By hand');
  });

  it('say how they stand: work first, then what hinders, then how the last run ended', () => {
    const last = { status: 'failed' } as PlayRow['last'];
    const icons = [
      standing(aPlay('a', { run_id: 'r', reason: 'x', last }), trans),
      standing(aPlay('a', { reason: 'x', confirmed: false, last }), trans),
      standing(aPlay('a', { last }), trans),
      standing(aPlay('a'), trans)
    ].map(each => each?.label ?? null);
    expect(icons).toEqual(['Running', 'Needs confirmation', 'Failed', null]);
  });
});
