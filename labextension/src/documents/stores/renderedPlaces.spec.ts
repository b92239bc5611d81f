import type { IChangedPlace } from './changedPlaces';
import { renderedPlaces, renderedProposal } from './renderedPlaces';

function written(first: number, ...texts: string[]): IChangedPlace {
  const lines = texts.map((text, index) => ({ number: first + index, text }));
  return { cell: '', part: '0', lines, first, before: null, after: null };
}

function removed(first: number, before: string | null, after: string | null): IChangedPlace {
  return { cell: '', part: '0', lines: [], first, before, after };
}

const SOURCE = [
  '# The *title*',
  '',
  'A paragraph with a [link](https://example.org/a)',
  'on two lines.',
  '',
  '- [ ] one',
  '- one',
  '  - `two`',
  '1. one',
  '',
  '| a | b |',
  '| - | - |',
  '| 1 | 2 |',
  '',
  '```python',
  'x = 1 * 2',
  'y = x',
  '```'
].join('\n');
const BLOCKS = [
  'The title',
  'A paragraph with a link\non two lines.',
  'one',
  'one',
  'two',
  'one',
  'ab',
  '12',
  'x = 1 * 2\ny = x\n'
];

function blocksOf(place: IChangedPlace, source = SOURCE, blocks = BLOCKS) {
  return renderedPlaces(source, [place], blocks).get(place)!;
}

describe('renderedPlaces', () => {
  it.each([
    [written(1, '# The *title*'), [0]],
    [written(4, 'on two lines.'), [1]],
    [written(7, '- one', '  - `two`'), [3, 4]],
    [written(9, '1. one'), [5]],
    [written(13, '| 1 | 2 |'), [7]],
    [written(16, 'x = 1 * 2', 'y = x'), [8]]
  ])('finds the blocks of %j', (place, blocks) => {
    expect(blocksOf(place)).toEqual({ written: blocks, anchor: blocks[0] });
  });

  it('scrolls to the block after lines that were removed', () => {
    expect(blocksOf(removed(10, '1. one', ''))).toEqual({ written: [], anchor: 6 });
    expect(blocksOf(removed(19, '```', null))).toEqual({ written: [], anchor: 8 });
  });

  it('does not have what is not rendered yet', () => {
    const source = SOURCE.replace('y = x', 'y = new');
    expect(blocksOf(written(17, 'y = new'), source)).toEqual({ written: [], anchor: null });
    expect(blocksOf(written(17, 'y = new'))).toEqual({ written: [], anchor: null });
  });

  it('follows a place that has moved', () => {
    const source = `mine\n\n${SOURCE}`;
    expect(blocksOf(written(4, 'on two lines.'), source, ['mine', ...BLOCKS]).anchor).toBe(2);
  });

  it('continues after lines that are not rendered', () => {
    const source = '<!-- a remark -->\n[a]: https://example.org\n\nText\n\n$x^2$\n\nEnd';
    expect(blocksOf(written(8, 'End'), source, ['Text', 'x2', 'End']).written).toEqual([2]);
  });
});

describe('renderedProposal', () => {
  it.each([
    ['a line that is replaced', 'on two lines.', 'on one line.', [1], 1],
    ['lines of two blocks', '- one\n  - `two`', '- 1\n  - `2`', [3, 4], 4],
    ['a row that goes', '| a | b |\n| - | - |\n| 1 | 2 |', '| a | b |\n| - | - |', [7], 7],
    ['what comes after a line', 'y = x\n```', 'y = x\nz = y\n```', [], 8],
    ['what comes after an empty line', '1. one\n\n', '1. one\n\nnew\n', [], 5],
    ['what comes first', '# The *title*', 'new\n# The *title*', [], null],
    ['what is no longer there', 'gone', 'new', [], null]
  ])('finds %s', (_, old, now, goes, after) => {
    expect(renderedProposal(SOURCE, { old, new: now }, BLOCKS)).toEqual({ goes, after });
  });
});
