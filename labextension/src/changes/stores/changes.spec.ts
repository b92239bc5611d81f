import { nullTranslator } from '@jupyterlab/translation';

import type { ChangedFile, Changes, Run } from '../../api/types';
import { RunStore } from '../../runs/stores/runs';
import { type Answer, fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import { aRun } from '../../testing/samples';
import { ChangesStore } from './changes';
import {
  besideLabel,
  certainFiles,
  countLabel,
  decisionLabel,
  fileNote,
  isReverted,
  lastWords,
  lineCounts,
  nothingLabel,
  wayBackLabel,
  writtenFormerPath
} from './labels';

const trans = nullTranslator.load('jupyter_cabinet');
const CHANGES = 'GET runs/run-1/changes';
const DECIDE = 'POST runs/run-1/changes';
const STATES = { was: null, now: null, old_was: null, old_now: null };
const DECISION = { by: 'Ada', at: '2026-11-21T10:00:00Z', ...STATES };

function aFile(change: Partial<ChangedFile> = {}): ChangedFile {
  const counts = { files: 1, cells: 0, added: 2, removed: 1 };
  const plain = {
    old_path: null,
    binary: false,
    folder: false,
    mode_changed: false,
    mixed: false,
    uncertain: false,
    parts_decided: 0,
    decision: null
  };
  return { path: 'a.md', kind: 'changed', counts, ...plain, ...change };
}

function someChanges(...files: ChangedFile[]): Changes {
  const counts = { files: files.length, cells: 0, added: 2, removed: 1 };
  const rest = {
    left_out: [],
    not_compared: [],
    beside: [],
    late: false,
    partial: false,
    reason: '',
    removed_at: null
  };
  return { run_id: 'run-1', state: 'ready', counts, files, ...rest };
}

function open(answers: Record<string, Answer | object> = {}) {
  const list = { items: [], next: null };
  const server = fakeServer({
    'GET runs?limit=50': list,
    [CHANGES]: someChanges(aFile()),
    ...answers
  });
  const stream = fakeEvents(server.client);
  const runs = new RunStore(server.client, stream.events);
  const changes = new ChangesStore(server.client, stream.events, runs);
  const run: Run = aRun({ state: 'succeeded' });
  const asked = (line: string) => server.requests.filter(each => each.line === line);
  return { server, ...stream, runs, changes, run, asked };
}

describe('ChangesStore', () => {
  it('reads once, and again when somebody has decided', async () => {
    const { changes, run, happen, asked } = open();
    expect(changes.of(run)).toBeUndefined();
    await Promise.all([changes.read(run), changes.read(run)]);
    expect(changes.of(run)?.files).toHaveLength(1);
    expect(asked(CHANGES)).toHaveLength(1);
    happen({ type: 'changes_updated', run_id: 'another', paths: [] });
    happen({ type: 'changes_updated', run_id: 'run-1', paths: ['a.md'] });
    await until(() => asked(CHANGES).length === 2);
  });

  it('lets everybody who reads wait for the same answer', async () => {
    const { asked, changes, run } = open();
    void changes.read(run);
    await changes.read(run);
    expect(changes.of(run)?.files).toHaveLength(1);
    expect(asked(CHANGES)).toHaveLength(1);
  });

  it('lets who reads wait for the newest answer, also when an earlier one has just come', async () => {
    const { changes, happen, run, server } = open();
    const answers: ((changes: Changes) => void)[] = [];
    server.answers[CHANGES] = () => new Promise(resolve => answers.push(json => resolve({ json })));
    const earlier = changes.read(run);
    happen({ type: 'changes_updated', run_id: 'run-1', paths: [] });
    await until(() => answers.length === 2);
    answers[0](someChanges(aFile()));
    setTimeout(() => answers[1](someChanges(aFile(), aFile({ path: 'b.md' }))));
    await earlier;
    expect(changes.of(run)?.files).toHaveLength(2);
  });

  it('keeps the newest answer when an earlier one comes late', async () => {
    const { changes, happen, run, server } = open();
    await changes.read(run);
    const answers: ((changes: Changes) => void)[] = [];
    server.answers[CHANGES] = () => new Promise(resolve => answers.push(json => resolve({ json })));
    happen({ type: 'changes_updated', run_id: 'run-1', paths: [] });
    happen({ type: 'changes_updated', run_id: 'run-1', paths: [] });
    await until(() => answers.length === 2);
    const newest = changes.read(run);
    answers[1](someChanges(aFile(), aFile({ path: 'b.md' })));
    await newest;
    answers[0](someChanges(aFile()));
    await until(() => changes.of(run) !== null);
    await new Promise(resolve => setTimeout(resolve));
    expect(changes.of(run)?.files).toHaveLength(2);
  });

  it('reads again when the run has ended, and after a break', async () => {
    const { changes, run, runs, reconnect, asked } = open();
    await changes.read(run);
    runs.put(aRun({ state: 'running' }));
    runs.put(aRun({ state: 'succeeded', revision: 2 }));
    await until(() => asked(CHANGES).length === 2);
    reconnect();
    await until(() => asked(CHANGES).length > 2);
  });

  it('knows that nothing is kept, and says what else is wrong', async () => {
    const { changes, run, server } = open({ [CHANGES]: refusal(404, 'not_found', 'Nothing.') });
    await changes.read(run);
    expect([changes.of(run), changes.problem(run)]).toEqual([null, '']);
    const other = aRun({ id: 'run-2' });
    server.answers['GET runs/run-2/changes'] = refusal(500, 'unknown', 'It broke.');
    await changes.read(other);
    expect([changes.of(other), changes.problem(other)]).toEqual([undefined, 'It broke.']);
    const away = aRun({ id: 'run-3' });
    await changes.read(away); // nobody answers: the page says that itself
    expect(changes.problem(away)).toBe('');
  });

  it('decides once at a time', async () => {
    const taken = someChanges(aFile({ decision: { ...DECISION, decision: 'reverted' } }));
    const { changes, run, asked } = open({ [DECIDE]: taken });
    await changes.read(run);
    const first = changes.decide(run, 'revert', ['a.md']);
    await Promise.resolve();
    expect(changes.isBusy(run)).toBe(true);
    expect(await changes.decide(run, 'accept')).toBe(false);
    expect(await first).toBe(true);
    expect(isReverted(changes.of(run)!)).toBe(true);
    expect(asked(DECIDE).map(({ body }) => body)).toEqual([
      { decision: 'revert', paths: ['a.md'], part: null, anyway: false }
    ]);
  });

  it('keeps a refusal with the files that are in the way until the next decision', async () => {
    const error = { kind: 'conflict', message: 'Edited since.', detail: { paths: ['a.md'] } };
    const { changes, run, server } = open({ [DECIDE]: () => ({ status: 409, json: { error } }) });
    expect(await changes.decide(run, 'revert')).toBe(false);
    expect(changes.refusal(run)).toEqual({
      decision: 'revert',
      message: 'Edited since.',
      paths: ['a.md'],
      asked: null,
      part: null
    });
    changes.dismissRefusal(run);
    expect(changes.refusal(run)).toBeNull();
    server.answers[DECIDE] = refusal(403, 'not_allowed', 'Not yours.');
    expect(await changes.decide(run, 'revert')).toBe(false);
    expect(changes.problem(run)).toBe('Not yours.');
  });

  it('keeps the part in the refusal of a decision about one part', async () => {
    const error = { kind: 'conflict', message: 'Edited since.', detail: { paths: ['a.md'] } };
    const { changes, run } = open({ [DECIDE]: () => ({ status: 409, json: { error } }) });
    expect(await changes.decide(run, 'revert', ['a.md'], { part: 'p1' })).toBe(false);
    expect(changes.refusal(run)).toMatchObject({ asked: ['a.md'], part: 'p1' });
  });

  it('reads the lines of a file once', async () => {
    const line = 'GET runs/run-1/changes/file?path=a.md';
    const diff = { path: 'a.md', kind: 'changed', parts: [], note: '' };
    const { changes, run, asked } = open({ [line]: diff, [DECIDE]: someChanges(aFile()) });
    await changes.readDiff(run, 'a.md'); // its changes are not known yet
    expect(changes.diff(run, 'a.md')).toBeNull();
    await changes.read(run);
    await changes.readDiff(run, 'a.md');
    await changes.readDiff(run, 'a.md');
    expect(changes.diff(run, 'a.md')).toEqual(diff);
    expect(asked(line)).toHaveLength(1);
    await changes.decide(run, 'revert', ['a.md'], { part: '0' });
    await changes.decide(run, 'revert', ['b.md']);
    expect(asked(line)).toHaveLength(2); // it contains the decision
    await changes.readDiff(run, 'b.md');
    expect(changes.diff(run, 'b.md')).toBeNull();
  });
});

describe('words', () => {
  it.each([
    [{ files: 0, cells: 0 }, 'No file changed'],
    [{ files: 1, cells: 0 }, '1 file changed'],
    [{ files: 1, cells: 1 }, '1 cell changed'],
    [{ files: 3, cells: 2 }, '3 files changed']
  ])('%j is %s', (counts, words) => {
    expect(countLabel({ added: 0, removed: 0, ...counts }, trans)).toBe(words);
  });

  it('counts lines, and leaves out none', () => {
    const counts = { files: 1, cells: 0, added: 15, removed: 0 };
    expect(lineCounts(counts)).toEqual({ added: '+15', removed: '' });
    expect(lineCounts({ ...counts, added: 0, removed: 4 })).toEqual({ added: '', removed: '−4' });
  });

  it('says of a file what its counts do not', () => {
    expect(fileNote(aFile(), trans)).toBe('');
    expect(fileNote(aFile({ kind: 'added', binary: true }), trans)).toBe('added, not text');
    expect(fileNote(aFile({ kind: 'deleted', mode_changed: true }), trans)).toBe(
      'deleted, permissions changed'
    );
    expect(fileNote(aFile({ kind: 'renamed', old_path: 'src/a.py' }), trans)).toBe(
      'renamed from src/a.py'
    );
    const decided = (decision: 'accepted' | 'reverted') =>
      aFile({ decision: { ...DECISION, decision } });
    expect(decisionLabel(aFile(), trans)).toBe('');
    expect(decisionLabel(decided('accepted'), trans)).toBe('Accepted by Ada');
    expect(decisionLabel(decided('reverted'), trans)).toBe('Reverted by Ada');
    expect(isReverted(someChanges())).toBe(false);
  });

  it('names an empty folder', () => {
    expect(fileNote(aFile({ kind: 'added', folder: true }), trans)).toBe('added, empty folder');
  });

  it('undoes with a run only what that run alone can have changed', () => {
    const done = aFile({ decision: { ...DECISION, decision: 'reverted' } });
    const shared = aFile({ path: 'b.md', uncertain: true });
    expect(isReverted(someChanges(done, shared))).toBe(true);
    expect(isReverted(someChanges(shared))).toBe(false);
    expect(certainFiles(someChanges(done, shared))).toEqual([done]);
    const beside = { ...someChanges(done), beside: ['run-2'] };
    expect(besideLabel(someChanges(done, shared), trans)).toBe('');
    expect(besideLabel(beside, trans)).toBe('Another run was active here at the same time.');
    expect(besideLabel({ ...beside, files: [shared] }, trans)).toContain(
      'For 1 of these files, it is unclear which run changed it.'
    );
  });

  it('claims no more than what was compared', () => {
    const whole = someChanges(aFile());
    const partial = { ...whole, partial: true };
    expect(wayBackLabel(whole, trans)).toBe('Undo this run');
    expect(wayBackLabel(partial, trans)).toBe('Undo this run in the compared files');
    const reverted = someChanges(aFile({ decision: { ...DECISION, decision: 'reverted' } }));
    expect(wayBackLabel({ ...reverted, partial: true }, trans)).toBe('Restore');
    expect(nothingLabel(whole, trans)).toBe('This run changed no files.');
    expect(nothingLabel(partial, trans)).toBe('No changes in the files that were compared.');
  });

  it('gives the end of an answer, from a paragraph on, and never the inside of code', () => {
    expect(lastWords(' short \n')).toBe('short');
    const long = 'x'.repeat(700);
    expect(lastWords(`${long}\n\nThe end.`)).toBe('The end.');
    expect(lastWords(`a ${'word '.repeat(200)}`)).toHaveLength(599);
    const code = `\`\`\`\n${long}\n\ncode\n\`\`\``;
    expect(lastWords(code)).toBe(code);
  });

  it('find what a run wrote to the former path of its document', () => {
    const run = { path: 'plan.md' };
    const written = someChanges(aFile({ path: 'notes.md' }), aFile({ path: 'other.md' }));
    expect(writtenFormerPath(run, 'notes.md', written)).toBe('notes.md');
    expect(writtenFormerPath(run, 'plan.md', written)).toBeNull();
    expect(writtenFormerPath(run, 'notes.md', undefined)).toBeNull();
    const deleted = someChanges(aFile({ path: 'notes.md', kind: 'deleted' }));
    expect(writtenFormerPath(run, 'notes.md', deleted)).toBeNull();
  });
});
