import { placeOf } from './places';

describe('placeOf', () => {
  it.each([
    ['a line that is replaced', 'a\nb\nc\n', 'b', 'B', [2], 2],
    ['lines at the end', 'a\nb\n', 'b\n', 'b\nc\n', [], 2],
    ['lines with some around them', 'a\nb\nc\nd\n', 'a\nb\nc\nd\n', 'a\nB\nc\nd\n', [2], 2],
    ['lines that go', 'a\nb\nc\n', 'a\nb\nc\n', 'a\nc\n', [2], 2],
    ['an empty text', '', '', 'new\n', [], 0],
    ['what is at the beginning', 'a\n', 'a\n', 'new\na\n', [], 0],
    ['what is no longer there', 'x\ny\n', 'b', 'B', [], 0],
    ['nothing that is replaced in a text with lines', 'x\n', '', 'B', [], 0]
  ])('finds %s', (_, text, old, now, goes, after) => {
    expect(placeOf(text, { old, new: now })).toEqual({ goes, after });
  });
});
