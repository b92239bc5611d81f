import { nullTranslator } from '@jupyterlab/translation';

import { aRun } from '../../testing/samples';
import type { IChangedPlace } from './changedPlaces';
import { changesWords, countWords, goneToWords } from './labels';
import type { IShownChanges } from './shownChanges';

const trans = nullTranslator.load('jupyter_cabinet');
const PLACE = { cell: '', part: '0', lines: [], first: 14, before: null, after: null };

function shown(current: IChangedPlace | null, ...others: IChangedPlace[]): IShownChanges {
  const places = [...others, ...(current ? [current] : [])];
  const run = aRun({ runtime_title: 'Demo agent' });
  return { run, file: 'a.md', places, current, mayScroll: false };
}

describe('labels of shown changes', () => {
  it('say how many there are and who made them', () => {
    expect(changesWords(shown(PLACE), trans)).toBe('1 change by Demo agent');
    const byAgent = { ...shown(PLACE, { ...PLACE }), run: aRun({ agent: 'ada' }) };
    expect(changesWords(byAgent, trans)).toBe('2 changes by ada');
  });

  it('say which one a person has gone to', () => {
    expect(countWords(shown(null, PLACE), trans)).toBe('');
    expect(countWords(shown(PLACE, { ...PLACE }), trans)).toBe('2 of 2');
    expect(goneToWords(shown(PLACE), trans)).toBe('Change 1 of 1, line 14');
    expect(goneToWords(shown({ ...PLACE, cell: 'c1' }), trans)).toBe('Change 1 of 1');
    const deleted = { ...PLACE, isDeleted: true };
    expect(goneToWords(shown(deleted), trans)).toBe('Change 1 of 1, deleted cell');
  });
});
