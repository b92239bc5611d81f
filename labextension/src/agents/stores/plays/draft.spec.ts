import { nullTranslator } from '@jupyterlab/translation';

import type { PlayDetail } from '../../../api/types';
import { after, aPlay } from '../../../testing/samples';
import { changes, draftOf, EMPTY_PLAY, newTrigger, NO_SCHEDULE } from './draft';
import { wrongIn } from './draftChecks';
import { followersOf, playGraph } from './graph';
import { instructionOf } from './instruction';
import { startWords } from './words';

const trans = nullTranslator.load('');

const SLUGS = { agent: (slug: string) => slug, play: (slug: string) => slug };

it('reads the instruction below the fields of a file', () => {
  expect(instructionOf('---\ntitle: Digest\n---\nSum up.\n---\nAll of it.\n')).toBe(
    'Sum up.\n---\nAll of it.\n'
  );
  expect(instructionOf('Sum up.\n')).toBe('Sum up.\n');
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

  it('are read from the file, and only changed fields are sent', () => {
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

  it('include each trigger with the values that its type requires', () => {
    const triggers = [
      { ...newTrigger('on_complete'), play: 'a', status: 'failed' as const },
      { ...newTrigger('file_changed'), path: 'a/*.md' },
      { ...newTrigger('goal_behind'), metric: 'leads', agent: 'eve' },
      newTrigger('agent_message'),
      newTrigger('startup'),
      { ...newTrigger('agent_stopped'), agent: ' eve ' },
      newTrigger('webhook')
    ];
    expect(changes(EMPTY_PLAY, { ...EMPTY_PLAY, triggers }, {}).triggers).toEqual([
      { type: 'on_complete', play: 'a', status: 'failed' },
      { type: 'file_changed', path: 'a/*.md' },
      { type: 'goal_behind', metric: 'leads', agent: 'eve' },
      { type: 'agent_message' },
      { type: 'startup' },
      { type: 'agent_stopped', agent: 'eve' },
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

  it('keep values that the form cannot show', () => {
    const given = { tools: [], timeout_seconds: 60 } as unknown as PlayDetail['fields'];
    const draft = draftOf({ fields: given, triggers: [] });
    expect(draft.tools).toBeNull();
    expect(changes(draft, { ...draft, seconds: '90' }, given)).toEqual({ timeout_seconds: 90 });
  });
});
