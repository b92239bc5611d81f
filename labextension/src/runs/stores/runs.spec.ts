import { EventStream } from '../../api/events';
import { aRun, fakeServer } from '../../testing/fakes';
import { RunStore } from './runs';

describe('RunStore', () => {
  it('keeps the whole answer of a run when a list brings its beginning', async () => {
    const whole = aRun({ state: 'succeeded', result: { text: 'x'.repeat(500), cut: false } });
    const listed = { ...whole, result: { text: 'x'.repeat(300), cut: true } };
    const { client } = fakeServer({ 'GET runs?limit=50': { items: [listed], next: null } });
    const runs = new RunStore(client, new EventStream(client));
    await runs.load();
    expect(runs.get('run-1')?.result?.cut).toBe(true);
    runs.put(whole);
    await runs.load();
    expect(runs.get('run-1')).toEqual(whole);
  });
});
