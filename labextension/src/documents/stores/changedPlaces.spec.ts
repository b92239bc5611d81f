import type { FileDiff } from '../../api/types';
import { cellIndexOf, changedPlaces, standsIn } from './changedPlaces';

function aDiff(path: string, ...parts: Partial<FileDiff['parts'][number]>[]): FileDiff {
  const plain = {
    decision: null,
    id: '0',
    deleted_after: null,
    other_lines: [],
    title: '',
    old_start: 1,
    new_start: 1
  };
  const made = parts.map(part => ({ ...plain, lines: [], ...part }));
  return { path, old_path: null, kind: 'changed', language: '', note: '', parts: made };
}

/** Lines as in a diff: "+new". */
function lines(...all: string[]): FileDiff['parts'][number]['lines'] {
  return all.map(line => ({ sign: line[0] as '+' | '-' | ' ', text: line.slice(1) }));
}

function reader(text: string): (number: number) => string | null {
  const all = text.split('\n');
  return number => all[number - 1] ?? null;
}

describe('changedPlaces', () => {
  it('has a place for each group of lines, with their numbers as they are now', () => {
    const diff = aDiff(
      'a.md',
      { lines: lines(' before', '-old', '+new', ' after', '+last'), new_start: 10 },
      { id: '1', lines: lines('-gone', ' rest'), new_start: 40 }
    );
    expect(changedPlaces(diff)).toEqual([
      {
        cell: '',
        part: '0',
        first: 11,
        lines: [{ number: 11, text: 'new' }],
        before: 'before',
        after: 'after'
      },
      {
        cell: '',
        part: '0',
        first: 13,
        lines: [{ number: 13, text: 'last' }],
        before: 'after',
        after: null
      },
      { cell: '', part: '1', first: 40, lines: [], before: null, after: 'rest' }
    ]);
  });

  it('has a place for each cell of a notebook, also if only its outputs differ', () => {
    const diff = aDiff(
      'a.ipynb',
      { id: 'c1', lines: lines(' a', '+b') },
      { id: 'c1', lines: lines(' c', '+d'), new_start: 30 },
      { id: 'c2', other_lines: lines('+5') }
    );
    expect(changedPlaces(diff)).toMatchObject([
      {
        cell: 'c1',
        first: 2,
        lines: [
          { number: 2, text: 'b' },
          { number: 31, text: 'd' }
        ]
      },
      { cell: 'c2', first: 1, lines: [] }
    ]);
  });
});

describe('cellIndexOf', () => {
  const [c2, third] = changedPlaces(aDiff('a.ipynb', { id: 'c2' }, { id: '#3' }));

  it('goes by the id, or by the number of a cell that had none in the file', () => {
    expect(cellIndexOf(c2, ['c1', 'c2', 'c3'])).toBe(1);
    expect(cellIndexOf(third, ['c1', 'c2', 'c3'])).toBe(2);
    expect(cellIndexOf(c2, ['c1'])).toBe(-1);
    expect(cellIndexOf(third, ['c1'])).toBe(-1);
  });

  it('goes to the neighbour of a deleted cell', () => {
    const removed = { lines: lines('-x') };
    const [first, later] = changedPlaces(
      aDiff(
        'a.ipynb',
        { ...removed, id: 'a', deleted_after: '' },
        { ...removed, id: 'b', deleted_after: 'c2' }
      )
    );
    expect(first).toMatchObject({ cell: '', isDeleted: true, part: 'a', lines: [] });
    expect(cellIndexOf(first, ['c1', 'c2'])).toBe(0);
    expect(cellIndexOf(first, [])).toBe(-1);
    expect(cellIndexOf(later, ['c1', 'c2'])).toBe(1);
  });
});

describe('standsIn', () => {
  const [written, removed] = changedPlaces(
    aDiff(
      'a.md',
      { lines: lines(' one', '+two') },
      { lines: lines(' three', '-x', ' four'), new_start: 3 }
    )
  );

  it('compares what was written', () => {
    expect(standsIn(written, reader('one\ntwo\nthree\nfour'))).toBe(true);
    expect(standsIn(written, reader('one'))).toBe(false);
    expect(standsIn(written, reader('mine\none\ntwo'), 1)).toBe(true);
  });

  it('compares the lines around what was removed', () => {
    expect(standsIn(removed, reader('one\ntwo\nthree\nfour'))).toBe(true);
    expect(standsIn(removed, reader('one\ntwo\nthree\nx\nfour'))).toBe(false);
  });
});
