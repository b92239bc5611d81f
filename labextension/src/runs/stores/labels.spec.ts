import { nullTranslator } from '@jupyterlab/translation';

import { aRun } from '../../testing/samples';
import {
  askedLine,
  cost,
  deniedText,
  pausedWords,
  queuedWords,
  runLabel,
  secondText,
  startedBy,
  starterOf,
  stateLabel
} from './labels';
import type { Run } from '../../api/types';
import { duration, spokenDuration, when } from '../../shared/time';

const trans = nullTranslator.load('');
const now = new Date('2026-11-21T10:01:13Z');

describe('words', () => {
  it('say who has paused everything, and which runs continue', () => {
    const at = new Date(2026, 10, 23, 13, 20).toISOString();
    const state = { paused: true, by: 'Ada Lind', at };
    expect(pausedWords(state, 0, true, trans)).toBe(
      'All agents were paused by Ada Lind at 13:20. No new runs will start. No runs are active.'
    );
    expect(pausedWords({ ...state, at: null }, 2, false, trans)).toBe(
      'All agents are paused by Ada Lind. No new runs will start. 2 runs continue.'
    );
    const othersMayContinue = pausedWords({ ...state, at: null }, 0, false, trans);
    expect(othersMayContinue).toBe('All agents are paused by Ada Lind. No new runs will start.');
  });

  it.each([
    [0.4, '0 s'],
    [12, '12 s'],
    [151, '2 min 31 s'],
    [3840, '1 h 4 min']
  ])('says %p seconds as %s', (seconds, text) => expect(duration(seconds, trans)).toBe(text));

  it('says that a run waits for a worker of a cluster', () => {
    const starting = aRun({ state: 'starting' });
    expect(runLabel(starting, trans).label).toBe('Starting');
    const reason = 'Waiting for a worker of the cluster.';
    expect(runLabel({ ...starting, reason }, trans).label).toBe('Waiting for a worker');
  });

  it('says once that something was denied', () => {
    expect(deniedText('not now', trans)).toBe('Denied: not now');
    expect(deniedText('Denied by the rule “edit a.md”.', trans)).toBe(
      'Denied by the rule “edit a.md”.'
    );
  });

  it('says who has started a run', () => {
    const by = (change: Partial<Run['trigger']>) =>
      startedBy({ trigger: { ...aRun().trigger, ...change } }, 'ada', trans);
    expect(by({ kind: 'person', username: 'ada' })).toBe('by you');
    expect(by({ kind: 'person', username: 'ben', display_name: 'Ben Okoro' })).toBe('by Ben Okoro');
    expect(by({ kind: 'schedule', username: 'ada' })).toBe('by schedule');
    expect(by({ kind: 'run', source: 'After the play Digest.' })).toBe('after the play Digest');
    expect(by({ kind: 'run', chain: [] })).toBe('by a run');
    const others = ['event', 'webhook', 'message', 'program'] as const;
    expect(new Set(others.map(kind => by({ kind }))).size).toBe(others.length);
  });

  it('names the run that has started a run, the nearest one', () => {
    const starter = (change: Partial<Run['trigger']>) =>
      starterOf({ trigger: { ...aRun().trigger, ...change } });
    expect(starter({})).toBeNull();
    expect(starter({ run_id: 'r2', ancestors: ['r1', 'r2'] })).toBe('r2');
    expect(starter({ ancestors: ['r1', 'r2'] })).toBe('r2');
  });

  it('names the trigger of a run that no person asked for', () => {
    const line = (change: Partial<Run['trigger']>, name = '') =>
      askedLine(
        aRun({ agent: 'dora', trigger: { ...aRun().trigger, display_name: 'Dora', ...change } }),
        name,
        trans
      );
    expect(line({ kind: 'person' }, 'Night Scout')).toBe('Dora asked Night Scout');
    expect(line({ kind: 'person' })).toBe('Dora asked dora');
    expect(line({ kind: 'schedule' })).toBe('dora, by schedule');
    expect(line({ kind: 'webhook' })).toBe('dora, by a webhook');
    const source = 'A message from ben to dora.';
    expect(line({ kind: 'message', source })).toBe('dora, by a message from ben to dora');
  });

  it('does not call a run plainly succeeded whose action was denied', () => {
    const label = (change: Partial<Run>) =>
      runLabel(aRun({ state: 'succeeded', ...change }), trans);
    expect(label({ denied: 0 })).toEqual({ label: 'Succeeded', icon: 'success' });
    expect(label({ denied: 1 })).toEqual({ label: 'Succeeded, 1 action denied', icon: 'skip' });
    expect(label({ denied: 3 }).label).toBe('Succeeded, 3 actions denied');
    expect(label({ denied: 1, state: 'cancelled' }).label).toBe('Cancelled');
  });

  it('says a duration for the ear', () => {
    expect(spokenDuration(151, trans)).toBe('2 minutes 31 seconds');
    expect(spokenDuration(1, trans)).toBe('1 second');
  });

  it('never invents a cost', () => {
    expect(cost(null)).toBeNull();
    expect(cost(0.14)).toBe('$0.14');
    expect(cost(0.001)).toBe('< $0.01');
  });

  it('counts while a run works, and shows its place while it is queued', () => {
    expect(secondText(aRun({ cost_usd: 0.08 }), now, trans)).toBe('1 min 12 s, $0.08');
    expect(secondText(aRun({ state: 'queued', position: 3 }), now, trans)).toBe('third in line');
    expect(secondText(aRun({ state: 'failed', duration_seconds: 12 }), now, trans)).toBe('12 s');
  });

  it('has a word and an icon for every state', () => {
    const states = [
      'queued',
      'starting',
      'running',
      'waiting',
      'succeeded',
      'failed',
      'timed_out'
    ] as const;
    states.forEach(state => expect(stateLabel(state, trans).label).toBeTruthy());
  });

  it('says when, the nearer the shorter', () => {
    const at = new Date(2026, 10, 21, 14, 2);
    expect(when(new Date(2026, 10, 21, 9, 5).toISOString(), at, trans)).toBe('09:05');
    expect(when(new Date(2026, 10, 20, 23, 59).toISOString(), at, trans)).toBe('Yesterday');
    expect(when(new Date(2026, 9, 1).toISOString(), at, trans)).toContain('2026');
  });
});

it('says for whom a run waits', () => {
  const trigger = { ...aRun({}).trigger, username: 'ada', display_name: 'Ada Lind' };
  const run = aRun({ state: 'waiting', owner: 'ada', trigger });
  expect(runLabel(run, trans).label).toBe('Waiting for you');
  expect(runLabel(run, trans, 'ada').label).toBe('Waiting for you');
  expect(runLabel(run, trans, 'ben').label).toBe('Waiting for Ada Lind');
  const another = { ...trigger, username: 'eve', display_name: 'Eve' };
  expect(runLabel({ ...run, trigger: another }, trans, 'ben').label).toBe('Waiting for ada');
});

describe('a queued run', () => {
  it('waits for a slot, or for those who have paused all agents', () => {
    expect(queuedWords(2, null, trans).title).toBe('2 runs are in progress');
    expect(queuedWords(0, null, trans)).toEqual({
      title: 'Waiting for a free slot',
      text: 'This run starts when a slot is free.'
    });
    expect(queuedWords(2, 'Ruth Root', trans)).toEqual({
      title: 'All agents are paused',
      text: 'Ruth Root has paused all agents. This run starts when they are resumed.'
    });
  });
});
