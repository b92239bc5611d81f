import { YFile, YNotebook, type ISharedNotebook } from '@jupyter/ydoc';
import type * as nbformat from '@jupyterlab/nbformat';

import { hunks, mergeInto, mergeText, textEdits } from './merge';

// ydoc reads its own cells before they are in a document, and says so each time.
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation());

const cell = (id: string, source: string, more: object = {}) =>
  ({
    id,
    cell_type: 'code',
    source,
    metadata: {},
    outputs: [],
    execution_count: null,
    ...more
  }) as nbformat.ICell;

const notebook = (...cells: nbformat.ICell[]) =>
  ({ cells, metadata: { a: 1 }, nbformat: 4, nbformat_minor: 5 }) as nbformat.INotebookContent;

function opened(content: nbformat.INotebookContent): ISharedNotebook {
  return YNotebook.create({ data: content }) as ISharedNotebook;
}

/** A small generator: the same sequence in every run. */
function randomly(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % below;
  };
}

describe('textEdits', () => {
  it('touches only what differs', () => {
    expect(textEdits('one\ntwo\nthree\n', 'one\n2wo\nthree\nfour\n')).toEqual([
      { start: 14, end: 14, text: 'four\n' },
      { start: 4, end: 5, text: '2' }
    ]);
    expect(textEdits('same', 'same')).toEqual([]);
  });

  it('never cuts a character in two', () => {
    const edits = textEdits('😀', '😁');
    expect(edits).toEqual([{ start: 0, end: 2, text: '😁' }]);
  });

  it('edits a long file where it differs, however far apart that is', () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`);
    const changed = lines.map((line, index) => (index % 400 === 0 ? `new ${line}` : line));
    const edits = textEdits(lines.join(''), changed.join(''), 60_000);
    expect(edits).toHaveLength(50);
    expect(edits.every(({ text }) => text === 'new ')).toBe(true);
  });

  it('takes two long files with nothing in common as one piece', () => {
    const [old, next] = ['a', 'b'].map(letter =>
      Array.from({ length: 20_000 }, (_, index) => `${letter}${index}\n`).join('')
    );
    const [edit, ...more] = textEdits(old, next);
    expect(more).toEqual([]);
    expect(old.slice(0, edit.start) + edit.text + old.slice(edit.end)).toBe(next);
  });

  it('makes any text of any other', () => {
    for (let seed = 1; seed < 300; seed++) {
      const next = randomly(seed);
      const text = () =>
        Array.from({ length: next(9) }, () => 'ab\n😀'[next(3)] + '\n'.repeat(next(2))).join('');
      const [old, wanted] = [text(), text()];
      const file = YFile.create();
      file.setSource(old);
      mergeText(file, wanted);
      expect(file.getSource()).toBe(wanted);
    }
  });
});

describe('hunks', () => {
  it('finds the shortest stretches', () => {
    const same = (a: string, b: string) => a === b;
    expect(hunks([...'abcd'], [...'axcd'], same)).toEqual([
      { oldStart: 1, oldEnd: 2, newStart: 1, newEnd: 2 }
    ]);
    expect(hunks([...'abc'], [...'bcd'], same)).toEqual([
      { oldStart: 0, oldEnd: 1, newStart: 0, newEnd: 0 },
      { oldStart: 3, oldEnd: 3, newStart: 2, newEnd: 3 }
    ]);
  });
});

describe('mergeInto a notebook', () => {
  it('keeps the cells that nobody touched, and edits changed ones in place', () => {
    const shared = opened(notebook(cell('a', '1'), cell('b', 'x = 1\ny = 2'), cell('c', '3')));
    const before = [...shared.cells];
    mergeInto(
      shared,
      notebook(cell('a', '1'), cell('n', 'new'), cell('b', 'x = 1\ny = 3'), cell('c', '3'))
    );
    expect(shared.cells.map(found => found.getSource())).toEqual(['1', 'new', 'x = 1\ny = 3', '3']);
    expect([shared.cells[0], shared.cells[2], shared.cells[3]]).toEqual(before);
  });

  it('keeps a cell whose id a program has lost', () => {
    const shared = opened(notebook(cell('a', '1'), cell('b', '2')));
    const before = [...shared.cells];
    mergeInto(shared, notebook(cell('x', '1'), cell('y', '2')));
    expect([...shared.cells]).toEqual(before);
  });

  it('takes over outputs, counts and metadata, and writes nothing that is the same', () => {
    const output = { output_type: 'stream', name: 'stdout', text: 'hi' } as nbformat.IOutput;
    const shared = opened(notebook(cell('a', '1'), cell('b', '2')));
    let changes = 0;
    shared.changed.connect(() => (changes += 1));
    mergeInto(shared, notebook(cell('a', '1'), cell('b', '2')));
    expect(changes).toBe(0);
    mergeInto(shared, {
      ...notebook(
        cell('a', '1', { outputs: [output], execution_count: 3, metadata: { tags: ['t'] } }),
        cell('b', '2')
      ),
      metadata: { a: 2 }
    });
    expect(shared.cells[0].toJSON()).toMatchObject({
      outputs: [output],
      execution_count: 3,
      metadata: { tags: ['t'] }
    });
    expect(shared.metadata).toEqual({ a: 2 });
  });

  it('marks nothing as trusted that somebody else wrote', () => {
    const output = { output_type: 'display_data', data: { 'text/html': '<b>x' }, metadata: {} };
    const trusted = { outputs: [output], metadata: { trusted: true } };
    const shared = opened(notebook(cell('a', '1', trusted), cell('b', '2', trusted)));
    const changed = {
      outputs: [{ ...output, data: { 'text/html': '<i>y' } }],
      metadata: { trusted: false }
    };
    const untouched = { outputs: [output], metadata: { trusted: false } };
    mergeInto(shared, notebook(cell('a', '1', untouched), cell('b', '2', changed)));
    expect(shared.cells.map(found => found.getMetadata('trusted'))).toEqual([true, false]);
  });

  it('takes the trust from a cell before its new outputs are there', () => {
    const output = { output_type: 'display_data', data: { 'text/html': '<b>x' }, metadata: {} };
    const shared = opened(notebook(cell('a', '1'), cell('b', '2')));
    const log: string[] = [];
    shared.cells[1].changed.connect((_, change) => {
      log.push(...('outputsChange' in change ? ['outputs'] : []));
    });
    const next = notebook(cell('a', '1'), cell('b', '2', { outputs: [output] }));
    mergeInto(shared, next, found => log.push(`distrusts ${found.getId()}`));
    expect(log).toEqual(['distrusts b', 'outputs']);
  });

  it('makes any notebook of any other', () => {
    for (let seed = 1; seed < 120; seed++) {
      const next = randomly(seed);
      const some = () =>
        notebook(
          ...Array.from({ length: next(7) }, (_, index) => {
            const kind = next(3) ? 'code' : 'markdown';
            const made = { ...cell(`${kind}${next(9)}-${index}`, 'ab'[next(2)]), cell_type: kind };
            return (
              kind === 'code' ? made : { ...made, outputs: undefined, execution_count: undefined }
            ) as nbformat.ICell;
          })
        );
      const [old, wanted] = [
        JSON.parse(JSON.stringify(some())),
        JSON.parse(JSON.stringify(some()))
      ] as nbformat.INotebookContent[];
      const shared = opened(old);
      mergeInto(shared, wanted);
      expect(shared.cells.map(found => [found.cell_type, found.getSource()])).toEqual(
        wanted.cells.map(found => [found.cell_type, found.source])
      );
    }
  });
});
