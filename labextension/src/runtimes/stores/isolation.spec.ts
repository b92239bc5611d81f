import { nullTranslator } from '@jupyterlab/translation';

import type { Health } from '../../api/types';
import { aRuntime } from '../../testing/samples';
import { isolationOf } from './isolation';

const trans = nullTranslator.load('jupyter_cabinet');

function shown(
  sandbox: Partial<Health['sandbox']>,
  chosen: boolean,
  row = aRuntime({ title: 'OpenClaw' })
) {
  const whole = { setting: 'unattended' as const, works: true, reason: '', remedy: '', ...sandbox };
  const { isIsolated, reason } = isolationOf(whole, row, chosen);
  return [isIsolated, reason?.(trans) ?? null];
}

describe('isolationOf', () => {
  it('is what the person chose, where the server leaves that open', () => {
    expect(shown({}, true)).toEqual([true, null]);
    expect(shown({}, false)).toEqual([false, null]);
  });

  it('is what the server says, where it does not', () => {
    expect(shown({ setting: 'always' }, false)).toEqual([
      true,
      'Every run is isolated on this server.'
    ]);
    expect(shown({ setting: 'never' }, true)).toEqual([
      false,
      'No run is isolated on this server.'
    ]);
  });

  it('says why it is not possible, and what would make it so', () => {
    const broken = { works: false, reason: 'Bubblewrap is not installed.', remedy: 'Install it.' };
    expect(shown(broken, true)).toEqual([false, 'Bubblewrap is not installed. Install it.']);
    const row = aRuntime({ title: 'OpenClaw', isolable: false });
    expect(shown({}, true, row)).toEqual([false, 'OpenClaw cannot be isolated.']);
    expect(isolationOf(null, row, true).isIsolated).toBe(false);
  });
});
