import { nullTranslator } from '@jupyterlab/translation';

import { dayAndTime, fromNow, isoTime, limit } from './time';

const trans = nullTranslator.load('');

describe('a limit', () => {
  it('has no more units than it needs', () => {
    const words = [45, 90, 300, 3600, 5400].map(seconds => limit(seconds, trans));
    expect(words).toEqual(['45 s', '1 min 30 s', '5 min', '1 h', '1 h 30 min']);
  });
});

describe('a time to come', () => {
  const now = new Date(2026, 10, 21, 14, 35);
  const after = (minutes: number) => new Date(now.getTime() + minutes * 60_000);

  it('is so many minutes, hours or days away', () => {
    const words = [-5, 0, 1, 25, 59, 60, 150, 47 * 60, 48 * 60, 6 * 24 * 60].map(minutes =>
      fromNow(after(minutes), now, trans)
    );
    expect(words).toEqual([
      'now',
      'now',
      'in 1 minute',
      'in 25 minutes',
      'in 59 minutes',
      'in 1 hour',
      'in 3 hours',
      'in 47 hours',
      'in 2 days',
      'in 6 days'
    ]);
  });

  it('is none where no calendar has it', () => {
    expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z');
    expect([isoTime(99999999999999), isoTime(NaN)]).toEqual(['', '']);
  });

  it('has its day and the time in 24 hours', () => {
    expect(dayAndTime(new Date(2026, 10, 27, 16, 0), trans)).toMatch(/Fri.*27.*, 16:00$/);
  });
});
