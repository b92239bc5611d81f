import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { nullTranslator } from '@jupyterlab/translation';

import { aRun, aRuntime } from '../../testing/samples';
import { abilities, loginText, testText } from './labels';

const trans = nullTranslator.load('jupyter_cabinet');
const NOW = new Date('2026-11-21T10:00:05Z');

describe('runtime words', () => {
  it('say what a CLI can do as `jupyter cabinet doctor` does', () => {
    const program = join(
      __dirname,
      '../../../../jupyter_cabinet/commands/without_server/doctor.py'
    );
    const doctor = readFileSync(program, 'utf8');
    const table = /^WORDS = \{\n([^}]*)\}/m.exec(doctor)![1];
    const pairs = [...table.matchAll(/"(\w+)": "([^"]+)"/g)];
    const all = Object.fromEntries(pairs.map(([, name]) => [name, true]));
    const { capabilities } = aRuntime({});
    expect(abilities({ ...capabilities, ...all }, trans)).toEqual(pairs.map(([, , word]) => word));
    expect(pairs.length).toBeGreaterThan(5);
  });

  it('tell how a test goes and how it ended', () => {
    expect(testText(aRun(), NOW, trans)).toBe('Running, 4 s');
    const done = {
      state: 'succeeded',
      duration_seconds: 3.21,
      result: { text: 'OK\n', cut: false }
    } as const;
    expect(testText(aRun({ ...done, cost_usd: 0.01 }), NOW, trans)).toBe(
      'Answered: OK, 3.2 s, $0.01'
    );
    expect(testText(aRun(done), NOW, trans)).toBe('Answered: OK, 3.2 s, cost unknown');
    const talks = testText(
      aRun({ ...done, result: { text: 'x'.repeat(300), cut: true } }),
      NOW,
      trans
    );
    expect(talks.length).toBeLessThan(130);
    const failed = aRun({ state: 'failed', reason: 'Claude Code is not logged in.' });
    expect(testText(failed, NOW, trans)).toBe('Claude Code is not logged in.');
  });

  it('say what to do where nobody is logged in', () => {
    const row = aRuntime({ login: 'no', login_hint: 'Run claude once.' });
    expect(loginText(row, trans)).toBe('Not logged in. Run claude once.');
  });
});
