import { EventStream } from '../../api/events';
import { aRun } from '../../testing/samples';
import { fakeServer } from '../../testing/fakes';
import { RunStore } from '../../runs/stores/runs';
import { RuntimeTestStore } from './runtimeTests';

describe('RuntimeTestStore', () => {
  it('says that a test has ended whose end came before the answer that names it', async () => {
    const { client } = fakeServer({ 'POST runtimes/demo/test': aRun({ state: 'queued' }) });
    const runs = new RunStore(client, new EventStream(client));
    const onEnd = jest.fn();
    const tests = new RuntimeTestStore(client, runs, onEnd);
    runs.put(aRun({ state: 'failed' }));
    await tests.start('demo');
    expect(tests.run('demo')?.state).toBe('failed');
    expect(onEnd).toHaveBeenCalledTimes(1);
  });

  it('says that a test has ended once, when the news comes afterwards', async () => {
    const { client } = fakeServer({ 'POST runtimes/demo/test': aRun({ state: 'queued' }) });
    const runs = new RunStore(client, new EventStream(client));
    const onEnd = jest.fn();
    const tests = new RuntimeTestStore(client, runs, onEnd);
    await tests.start('demo');
    expect(onEnd).not.toHaveBeenCalled();
    runs.put(aRun({ runtime: tests.run('demo')!.runtime, state: 'succeeded' }));
    runs.put(aRun({ runtime: tests.run('demo')!.runtime, state: 'succeeded' }));
    expect(onEnd).toHaveBeenCalledTimes(1);
  });
});
