import type { Run } from '../../api/types';
import { until } from '../../testing/fakes';
import { aRun } from '../../testing/samples';
import { RawOutput } from './rawOutput';

/** A run that writes a letter between two readings. */
function writing(run: Run | undefined) {
  const known = { run, text: '', reads: 0 };
  const runs = {
    find: () => (known.run ? Promise.resolve(known.run) : Promise.reject(new Error('No such run'))),
    get: () => known.run,
    readRaw: () => {
      known.reads += 1;
      known.text += 'x';
      return Promise.resolve(known.text);
    }
  };
  return { known, runs };
}

describe('RawOutput', () => {
  it('is read again while the run works, and once more after its end', async () => {
    const { known, runs } = writing(aRun({ state: 'running' }));
    const output = new RawOutput(runs, 'run-1', 1);
    await output.follow();
    expect([output.text, output.isGrowing]).toEqual(['x', true]);
    await until(() => known.reads > 2);
    known.run = aRun({ state: 'succeeded' });
    await until(() => !output.isGrowing);
    const { reads } = known;
    await new Promise(resolve => setTimeout(resolve, 20));
    expect([known.reads, output.text.length]).toEqual([reads, reads]);
  });

  it('is read once for a run that has ended', async () => {
    const { known, runs } = writing(aRun({ state: 'failed' }));
    const output = new RawOutput(runs, 'run-1', 1);
    await output.follow();
    await new Promise(resolve => setTimeout(resolve, 20));
    expect([known.reads, output.isGrowing]).toEqual([1, false]);
  });

  it('keeps what was read, and says why nothing can be read', async () => {
    const { known, runs } = writing(aRun({ state: 'running' }));
    const output = new RawOutput(runs, 'run-1', 1);
    await output.follow();
    runs.readRaw = () => {
      known.reads += 1;
      return Promise.reject(new Error('Offline'));
    };
    const { reads } = known;
    await until(() => known.reads > reads);
    expect(output.text.startsWith('x')).toBe(true);
    output.dispose();
    const none = new RawOutput({ ...runs, get: () => undefined }, 'run-1', 1);
    await none.follow();
    expect([none.text, none.isGrowing]).toEqual(['Error: Offline', false]);
  });

  it('is not read any more when it is closed', async () => {
    const { known, runs } = writing(aRun({ state: 'running' }));
    const output = new RawOutput(runs, 'run-1', 1);
    await output.follow();
    output.dispose();
    await new Promise(resolve => setTimeout(resolve, 5));
    const { reads } = known;
    await new Promise(resolve => setTimeout(resolve, 20));
    expect(known.reads).toBe(reads);
  });
});
