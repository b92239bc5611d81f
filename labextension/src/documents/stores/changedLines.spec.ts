import type { FileDiff } from '../../api/types';
import { changedLines } from './changedLines';

function aDiff(path: string, ...parts: Partial<FileDiff['parts'][number]>[]): FileDiff {
  const plain = { decision: null, id: '0', other_lines: [], title: '', old_start: 1, new_start: 1 };
  const made = parts.map(part => ({ ...plain, lines: [], ...part }));
  return { path, old_path: null, kind: 'changed', language: '', note: '', parts: made };
}

const LINES = [
  { sign: ' ' as const, text: 'before' },
  { sign: '-' as const, text: 'old' },
  { sign: '+' as const, text: 'new' },
  { sign: ' ' as const, text: 'after' },
  { sign: '+' as const, text: 'last' }
];

describe('changedLines', () => {
  it('numbers the lines as they stand now', () => {
    const diff = aDiff('a.md', { lines: LINES, new_start: 10 }, { lines: [], new_start: 40 });
    expect(changedLines(diff)).toEqual([
      { cell: '', number: 11, text: 'new' },
      { cell: '', number: 13, text: 'last' }
    ]);
  });

  it('names the cell in a notebook', () => {
    const diff = aDiff('a.ipynb', { id: 'c1', lines: [{ sign: '+', text: 'x = 1' }] });
    expect(changedLines(diff)).toEqual([{ cell: 'c1', number: 1, text: 'x = 1' }]);
  });
});
