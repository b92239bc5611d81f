import { nullTranslator } from '@jupyterlab/translation';

import { EMPTY_PLAY, newTrigger, NO_SCHEDULE } from './draft';
import { wrongIn } from './draftChecks';
import { wrongPlayWords } from './words';

const trans = nullTranslator.load('');

it('checks the fields as the person types, with the field names of the server', () => {
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
