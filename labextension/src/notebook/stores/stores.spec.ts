import { nullTranslator } from '@jupyterlab/translation';

import { RunStore } from '../../runs/stores/runs';
import { Announcer } from '../../shared/announcer';
import { fakeEvents, fakeServer } from '../../testing/fakes';
import { aRun } from '../../testing/samples';
import { ConsentStore } from './consent';
import { ShownOutput } from './shownOutput';
import { SpokenRuns } from './spokenRuns';
import { viewOf } from './view';

const RUN = { view: 'run', run_id: 'run-1' };

describe('the view of an output', () => {
  it('is one of four, each with its ids', () => {
    expect(viewOf(RUN)).toEqual({ ...RUN, attached: [] });
    expect(viewOf({ ...RUN, attached: ['Cell [3]', 7], more: 1 })).toEqual({
      ...RUN,
      attached: ['Cell [3]']
    });
    expect(viewOf({ view: 'agent', agent: 'ada' })).toEqual({ view: 'agent', agent: 'ada' });
    expect(viewOf({ view: 'trust', root: '/etc' })).toEqual({ view: 'trust' });
    expect(viewOf({ view: 'terminal', terminal_id: 't' })).toEqual({
      view: 'terminal',
      terminal_id: 't'
    });
    expect(viewOf({ view: 'goal', agent: 'ada', metric: 'articles' })).toEqual({
      view: 'goal',
      agent: 'ada',
      metric: 'articles'
    });
  });

  it('is none where anything is missing or of another kind', () => {
    for (const data of [
      null,
      'run',
      [],
      { view: 'run' },
      { view: 'run', run_id: 7 },
      { view: 'run', run_id: '' },
      { view: 'run', run_id: 'x'.repeat(201) },
      { view: 'goal', agent: 'ada' },
      { view: 'script', run_id: 'run-1' }
    ]) {
      expect(viewOf(data)).toBeNull();
    }
  });
});

describe('what an output shows', () => {
  it('tells nothing where the kernel has written the same once more', () => {
    const shown = new ShownOutput();
    let told = 0;
    shown.changed.connect(() => (told += 1));
    const saved = { markdown: '**Running**', plain: 'Running' };
    shown.set(RUN, saved, true);
    shown.set({ ...RUN }, { ...saved }, true);
    expect(told).toBe(1);
    shown.set(RUN, { ...saved, markdown: '**Succeeded**' }, true);
    shown.set(RUN, { ...saved, markdown: '**Succeeded**' }, false);
    expect(told).toBe(3);
  });
});

describe('whether a view may act', () => {
  const view = viewOf(RUN)!;
  const never = { beganHere: () => false };

  it('it may not in a notebook that is not trusted, until a person says so', () => {
    const consent = new ConsentStore(never);
    expect(consent.mayAct(view, false)).toBe(false);
    consent.allow(view);
    expect(consent.mayAct(view, false)).toBe(true);
    expect(consent.mayAct(viewOf({ ...RUN, run_id: 'other' })!, false)).toBe(false);
  });

  it('it still may when the cell loses its trust, because an agent has edited the notebook', () => {
    const consent = new ConsentStore(never);
    expect(consent.mayAct(view, true)).toBe(true);
    expect(consent.mayAct(view, false)).toBe(true);
  });

  it('it may for a run that was asked for while this page was open', () => {
    const { client } = fakeServer();
    const { events, happen } = fakeEvents(client);
    const consent = new ConsentStore(new RunStore(client, events));
    happen({ type: 'run_started', run: aRun({ id: 'older' }) });
    happen({ type: 'run_queued', run: aRun({ state: 'queued' }) });
    expect(consent.mayAct(view, false)).toBe(true);
    expect(consent.mayAct(viewOf({ ...RUN, run_id: 'older' })!, false)).toBe(false);
  });
});

describe('what is said of runs in cells', () => {
  it('is that they start and end, only while they are shown, and never twice', () => {
    const { client } = fakeServer();
    const { events, happen } = fakeEvents(client);
    const [runs, announcer] = [new RunStore(client, events), new Announcer()];
    const spoken = new SpokenRuns(runs, announcer, nullTranslator.load(''));
    const [polite, urgent]: string[][] = [[], []];
    spoken.said.connect((_, text) => polite.push(text));
    announcer.said.connect((_, { text }) => urgent.push(text));
    const end = spoken.follow(aRun({ state: 'queued' }));
    const tell = (state: 'running' | 'waiting' | 'succeeded' | 'failed', id = 'run-1') =>
      happen({ type: 'run_updated', run: aRun({ id, state, duration_seconds: 151 }) });
    tell('running');
    tell('running');
    tell('waiting');
    tell('running');
    tell('succeeded');
    tell('running', 'elsewhere');
    expect(polite).toEqual(['Demo agent started.', 'Succeeded after 2 minutes 31 seconds.']);
    end();
    const ends = [spoken.follow(aRun({ id: 'second' })), spoken.follow(aRun({ id: 'third' }))];
    ends[1]();
    tell('failed', 'second');
    tell('failed', 'third');
    expect(urgent).toEqual(['Run failed: ']);
  });
});
