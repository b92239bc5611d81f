import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';
import { nullTranslator } from '@jupyterlab/translation';

import type { ChangedFile, Changes, FileDiff } from '../../api/types';
import { RunStore } from '../../runs/stores/runs';
import { fakeEvents, fakeServer } from '../../testing/fakes';
import { aRun } from '../../testing/samples';
import { ChangesStore } from './changes';
import { leftOutNote, notComparedLabel, notComparedNames, partLabel } from './labels';
import { type DiffPart, ReviewStore } from './review';
import { endedSidesOf, instructionOf, sidesOf } from './sides';

const trans = nullTranslator.load('jupyter_cabinet');
const DECISION = { by: 'Ada', at: '2026-11-21T10:00:00Z', was: null, now: null };

function aPart(id: string, change: Partial<DiffPart> = {}): DiffPart {
  const lines = [
    { sign: ' ' as const, text: 'before' },
    { sign: '-' as const, text: 'old' },
    { sign: '+' as const, text: 'new' }
  ];
  const place = {
    old_start: 4,
    new_start: 4,
    title: '',
    decision: null,
    deleted_after: null,
    other_lines: []
  };
  return { id, lines, ...place, ...change };
}

const UNCHANGED = { sign: ' ', text: 'around' } as const;
const ADDED: DiffPart['lines'] = [
  UNCHANGED,
  { sign: '+', text: 'one' },
  { sign: '+', text: 'two' },
  UNCHANGED
];
const REMOVED: DiffPart['lines'] = [UNCHANGED, { sign: '-', text: 'one' }, UNCHANGED];

function aFile(path: string): ChangedFile {
  const counts = { files: 1, cells: 0, added: 1, removed: 1 };
  const plain = {
    binary: false,
    folder: false,
    mode_changed: false,
    mixed: false,
    uncertain: false,
    old_path: null,
    parts_decided: 0
  };
  return { path, kind: 'changed', counts, decision: null, ...plain };
}

/** A server with two files: `a.md` with two changes, `b.png` with none. It keeps what is decided. */
function open(ofSecond: Partial<ChangedFile> = {}) {
  const state = {
    files: [aFile('a.md'), { ...aFile('b.png'), ...ofSecond }],
    parts: [aPart('0'), aPart('1', { old_start: 20, new_start: 20 })]
  };
  const changes = (): Changes => ({
    run_id: 'run-1',
    state: 'ready',
    counts: { files: 2, cells: 0, added: 2, removed: 2 },
    files: state.files,
    left_out: [],
    not_compared: [],
    beside: [],
    late: false,
    partial: false,
    removed_at: null,
    reason: ''
  });
  const diff = (path: string): FileDiff => {
    const parts = path === 'a.md' ? state.parts : [];
    return { path, old_path: null, kind: 'changed', note: '', language: '', parts };
  };
  const decide = (body: unknown) => {
    const { decision, part, paths } = body as Record<string, unknown> & { paths: string[] };
    const kept = { ...DECISION, decision: decision === 'accept' ? 'accepted' : 'reverted' };
    const made = decision === 'undo' ? null : (kept as ChangedFile['decision']);
    if (part === null) {
      state.files = state.files.map(each =>
        paths.includes(each.path) ? { ...each, decision: made } : each
      );
    } else {
      state.parts = state.parts.map(each =>
        each.id === part ? { ...each, decision: made } : each
      );
    }
    return { status: 200, json: changes() };
  };
  const server = fakeServer({
    'GET runs?limit=50': { items: [], next: null },
    'GET runs/run-1/changes': () => ({ status: 200, json: changes() }),
    'GET runs/run-1/changes/file?path=a.md': () => ({ status: 200, json: diff('a.md') }),
    'GET runs/run-1/changes/file?path=b.png': () => ({ status: 200, json: diff('b.png') }),
    'POST runs/run-1/changes': decide
  });
  const { events } = fakeEvents(server.client);
  const store = new ChangesStore(server.client, events, new RunStore(server.client, events));
  const review = new ReviewStore(store, aRun({ state: 'succeeded' }));
  const at = () => [review.path, review.index];
  return { review, at, server };
}

describe('ReviewStore', () => {
  it('goes from change to change, over the files, and no further', async () => {
    const { review, at } = open();
    expect([review.found, review.part, review.file]).toEqual([undefined, null, null]);
    await review.open();
    expect(at()).toEqual(['a.md', 0]);
    expect(await review.move(-1)).toBe(false);
    expect(await review.move(1)).toBe(true);
    expect(at()).toEqual(['a.md', 1]);
    expect(await review.move(1)).toBe(true);
    expect(at()).toEqual(['b.png', 0]);
    expect(await review.move(1)).toBe(false);
    expect(await review.move(-1)).toBe(true);
    expect(at()).toEqual(['a.md', 1]);
    expect(review.moves).toBe(3);
  });

  it('continues with what nobody has decided about', async () => {
    const { review, at } = open();
    await review.open();
    review.goTo(1);
    expect(await review.decide('accept')).toBe(true);
    expect(at()).toEqual(['a.md', 0]);
    expect(review.reviewed).toBe(0);
    expect(await review.decide('revert')).toBe(true);
    expect(at()).toEqual(['b.png', 0]);
    expect(review.reviewed).toBe(1);
    expect(await review.decide('accept')).toBe(true); // the whole file: it has no parts
    expect(at()).toEqual(['b.png', 0]);
    expect(review.reviewed).toBe(2);
  });

  it('decides nothing twice, and undoes', async () => {
    const { review } = open();
    await review.open();
    expect(await review.decide('undo')).toBe(false);
    await review.decide('accept');
    review.goTo(0);
    expect(await review.decide('revert')).toBe(false);
    expect(await review.decide('undo')).toBe(true);
    expect(review.part?.decision).toBeNull();
    expect(await review.decideFiles('revert', null)).toBe(true);
    expect(review.reviewed).toBe(2);
    expect(await review.decide('undo')).toBe(true); // of the file, not of its first change
    expect(review.file?.decision).toBeNull();
  });

  it('leaves alone what another run may have changed, if all is reverted', async () => {
    const { review } = open({ uncertain: true });
    await review.open();
    expect(await review.decideFiles('revert', null)).toBe(true);
    expect(review.files.map(file => file.decision?.decision)).toEqual(['reverted', undefined]);
    expect(await review.decideFiles('revert', 'b.png')).toBe(true);
    expect(review.reviewed).toBe(2);
  });

  it('follows the changes until it is disposed of', async () => {
    const { review } = open();
    let told = 0;
    review.changed.connect(() => (told += 1));
    review.setSideBySide(true);
    expect([told, review.sideBySide]).toEqual([1, true]);
    await review.open();
    const before = told;
    expect(before).toBeGreaterThan(1);
    review.dispose();
    await review.decideFiles('accept', 'a.md');
    expect(told).toBe(before);
  });

  it('opens at the first file that is open', async () => {
    const { review, at } = open();
    await review.decideFiles('accept', 'a.md');
    await review.open();
    expect(at()).toEqual(['b.png', 0]);
  });
});

describe('a change in words', () => {
  it('is both of its sides', () => {
    expect(sidesOf(aPart('0'))).toEqual({ old: 'before\nold', new: 'before\nnew' });
    expect(partLabel(aPart('0'), trans)).toBe('Line 5');
    expect(partLabel(aPart('0', { lines: ADDED }), trans)).toBe('Lines 5 to 6');
    expect(partLabel(aPart('0', { lines: REMOVED }), trans)).toBe('Line 5');
    expect(partLabel({ new_start: 7, lines: [] }, trans)).toBe('Line 7');
  });

  it('becomes an instruction with its place, and quotes the present lines', () => {
    expect(instructionOf('a.md', aPart('0'), ' Shorter. ')).toBe(
      'About a.md, lines 4 to 5:\n\n```\nbefore\nnew\n```\n\nShorter.'
    );
    const cell = aPart('x', { title: 'Cell 4, code, changed', lines: [] });
    expect(instructionOf('a.ipynb', cell, 'Why?')).toBe(
      'About a.ipynb, Cell 4, code, changed:\n\nWhy?'
    );
    const fenced = aPart('0', { lines: [{ sign: '+', text: '```py' }] });
    expect(instructionOf('a.md', fenced, 'No.')).toContain('\n````\n```py\n````\n');
    const long = aPart('0', {
      lines: Array.from({ length: 40 }, (_, at) => ({ sign: '+' as const, text: `line ${at}` }))
    });
    expect(instructionOf('a.md', long, 'No.')).toContain('line 29\n… 10 more lines\n```');
  });

  it('compares a line behind the last one as added, and the last one as unchanged', () => {
    const lines = [
      { sign: ' ' as const, text: 'last' },
      { sign: '+' as const, text: 'more' }
    ];
    const { old, new: now } = endedSidesOf({ lines });
    const chunks = Chunk.build(Text.of(old.split('\n')), Text.of(now.split('\n')));
    expect(chunks.map(each => old.slice(each.fromA, each.endA))).toEqual(['']);
    expect(chunks.map(each => now.slice(each.fromB, each.endB).trim())).toEqual(['more']);
    expect(endedSidesOf({ lines: [{ sign: '+', text: '' }] })).toEqual({ old: '', new: '\n' });
  });

  it.each([
    ['ignored', null, 'ignored'],
    ['large', 212 << 20, '212.0 MB'],
    ['large', null, 'too large'],
    ['unreadable', null, 'cannot be read'],
    ['special', null, 'not a regular file'],
    ['excluded', null, 'SSH keys'],
    ['name', null, 'the name is not valid UTF-8'],
    ['deep', null, 'nested too deeply']
  ] as const)('says why it is not compared: %s', (reason, size, words) => {
    const why = reason === 'excluded' ? 'SSH keys' : '';
    expect(leftOutNote({ path: 'x', reason, size, why }, trans)).toBe(words);
  });

  it('says how many files are not compared, and names those a person may look for', () => {
    const not_compared = [
      { reason: 'ignored', count: 600 },
      { reason: 'name', count: 1 },
      { reason: 'deep', count: 2 }
    ] as const;
    expect(notComparedLabel({ not_compared: [...not_compared] }, trans)).toBe(
      'Not compared: 600 ignored files and folders, 1 name that is not valid UTF-8, 2 folders that are nested too deeply.'
    );
    expect(notComparedLabel({ not_compared: [] }, trans)).toBe('');
    const reasons = ['ignored', 'excluded', ...Array<'deep'>(22).fill('deep')] as const;
    const left_out = reasons.map((reason, at) => ({ path: `${at}/`, reason, size: null, why: '' }));
    const names = notComparedNames({ left_out }).split(', ');
    expect([names[0], names.length, names[20]]).toEqual(['2/', 21, '…']);
  });
});
