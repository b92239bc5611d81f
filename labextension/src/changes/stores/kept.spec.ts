import { nullTranslator } from '@jupyterlab/translation';

import type { KeptChanges } from '../../api/types';
import { fakeServer, refusal } from '../../testing/fakes';
import { keptForLabel, keptLabel, KeptStore, roundSize } from './kept';

const trans = nullTranslator.load('jupyter_cabinet');
const KEPT: KeptChanges = { size: 212_400_000, most: 2_000_000_000, days: 30, runs: 14 };

describe('what is kept of changes', () => {
  it('is read, and stays what it was where it cannot be read again', async () => {
    const answers: Record<string, object> = { 'GET changes': KEPT };
    const server = fakeServer(answers);
    const store = new KeptStore(server.client);
    expect([store.kept, store.failed]).toEqual([null, false]);
    await store.load();
    expect([store.kept, store.failed]).toEqual([KEPT, false]);
    const failing = new KeptStore(
      fakeServer({ 'GET changes': refusal(503, 'unavailable', 'No.') }).client
    );
    await failing.load();
    expect([failing.kept, failing.failed]).toEqual([null, true]);
  });

  it('is said in words', () => {
    expect(keptLabel(KEPT, trans)).toBe('212 MB of 2 GB, for 14 runs');
    expect(keptLabel({ ...KEPT, runs: 1, size: 900 }, trans)).toBe('0.9 kB of 2 GB, for 1 run');
    expect(keptForLabel(KEPT, trans)).toContain('revert the changes of a run for 30 days');
    expect(keptForLabel({ ...KEPT, days: 1 }, trans)).toContain('for one day. If');
    expect(keptForLabel({ ...KEPT, days: 0.5 }, trans)).toContain('for 0.5 days');
  });

  it.each([
    [0, '0 kB'],
    [1_500_000, '1.5 MB'],
    [390_000, '390 kB'],
    [12_345_678_901, '12 GB']
  ])('%d bytes are %s', (bytes, words) => {
    expect(roundSize(bytes)).toBe(words);
  });
});
