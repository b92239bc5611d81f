import { lineDiff, patchLines } from './lineDiff';

describe('lineDiff', () => {
  it('gives all lines, what goes before what comes', () => {
    expect(lineDiff('a\nb\nc\n', 'a\nB\nc\n')).toEqual([
      { sign: ' ', text: 'a' },
      { sign: '-', text: 'b' },
      { sign: '+', text: 'B' },
      { sign: ' ', text: 'c' }
    ]);
    expect(lineDiff('', 'a')).toEqual([{ sign: '+', text: 'a' }]);
    expect(lineDiff('a', '')).toEqual([{ sign: '-', text: 'a' }]);
    expect(lineDiff('', '')).toEqual([]);
  });

  it('holds both texts', () => {
    const texts = ['', 'a', 'b\n', 'a\nb', 'a\n\nb\n', '\n\n', 'b\na\nb\na'];
    const side = (lines: ReturnType<typeof lineDiff>, without: string) =>
      lines.filter(({ sign }) => sign !== without).map(line => line.text);
    const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
    for (const old of texts) {
      for (const now of texts) {
        const lines = lineDiff(old, now);
        expect([side(lines, '+'), side(lines, '-')]).toEqual([linesOf(old), linesOf(now)]);
      }
    }
  });
});

it('reads a difference by its first characters', () => {
  expect(patchLines('--- a\n+++ b\n@@\n x\n-y\n+z')).toEqual([
    { sign: ' ', text: '--- a' },
    { sign: ' ', text: '+++ b' },
    { sign: ' ', text: '@@' },
    { sign: ' ', text: ' x' },
    { sign: '-', text: 'y' },
    { sign: '+', text: 'z' }
  ]);
});
