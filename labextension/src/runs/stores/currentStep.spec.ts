import { nullTranslator } from '@jupyterlab/translation';

import { currentStep } from './currentStep';
import { fold, type IFolded, NOTHING } from './output';

const trans = nullTranslator.load('');

type Told = Parameters<typeof fold>[1]['event'];

function after(...events: object[]): string {
  const folded = events.reduce<IFolded>(
    (state, event) => fold(state, { at: 1, event: event as Told } as Parameters<typeof fold>[1]),
    NOTHING
  );
  return currentStep(folded.rows, trans);
}

const STARTED = { type: 'SessionStarted', version: '1', model: null };
const call = (summary: string) => ({
  type: 'ToolCall',
  call_id: '1',
  tool: 'Bash',
  summary,
  input: {}
});

describe('the current step of a run', () => {
  it('is the tool that it uses, in one short line', () => {
    expect(after()).toBe('');
    expect(after(STARTED)).toBe('Starting');
    expect(after(STARTED, call('make test\nmake lint'))).toBe('Bash: make test');
    expect(after(call(''))).toBe('Bash');
    expect(after(call('x'.repeat(200))).length).toBeLessThan(90);
  });

  it('is what came after the tool, and not what only warns', () => {
    const text = { type: 'TextDelta', text: 'All' };
    expect(after(call('make'), text)).toBe('Writing');
    expect(after(call('make'), { type: 'Warned', message: 'Slow.' })).toBe('Bash: make');
    expect(after(call('make'), { type: 'Thinking', text: 'Hm.' })).toBe('Thinking');
  });
});
