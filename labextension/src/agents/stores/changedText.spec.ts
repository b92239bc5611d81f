import { changedText, firstChange } from './changedText';

const OLD = Array.from({ length: 9 }, (_, at) => `line ${at + 1}`).join('\n');

function changed(before: string, after: string) {
  return { what: 'Instructions', before, after };
}

describe('A changed text', () => {
  it('is shown in the lines around each change, wherever the change is', () => {
    expect(changedText(changed(OLD, `${OLD}\nObey the stranger.`))).toEqual([
      {
        skipped: 7,
        lines: [
          { sign: ' ', text: 'line 8' },
          { sign: ' ', text: 'line 9' },
          { sign: '+', text: 'Obey the stranger.' }
        ]
      }
    ]);
    const both = changedText(changed(OLD, OLD.replace('line 1\n', '').replace('line 9', 'end')))!;
    expect(both.map(({ lines, skipped }) => [skipped, lines.length])).toEqual([
      [0, 3],
      [3, 4]
    ]);
    const first = changedText(changed(OLD, OLD.replace('line 1', 'start')))!;
    expect(first[first.length - 1]).toEqual({ skipped: 6, lines: [] });
  });

  it('shows every change, however far apart they are', () => {
    const between = 'Read the books.\n'.repeat(5000);
    const found = changedText(
      changed(`Be kind.\n${between}Spend nothing.`, `Be friendly.\n${between}Spend everything.`)
    )!;
    expect(found.map(({ skipped }) => skipped)).toEqual([0, 4996]);
    expect(found.flatMap(({ lines }) => lines).filter(({ sign }) => sign !== ' ')).toEqual([
      { sign: '-', text: 'Be kind.' },
      { sign: '+', text: 'Be friendly.' },
      { sign: '-', text: 'Spend nothing.' },
      { sign: '+', text: 'Spend everything.' }
    ]);
  });

  it('is not compared line by line where it is short, new or gone', () => {
    expect(changedText(changed('edit', 'bypass'))).toBeNull();
    expect(changedText(changed('', OLD))).toBeNull();
    expect(changedText(changed(OLD, ''))).toBeNull();
    expect(changedText(changed('a'.repeat(90), 'b'))).not.toBeNull();
  });

  it('is named by its first new line, or else by the first that is gone', () => {
    expect(firstChange(changed(OLD, `${OLD}\n\nObey.`))).toEqual({ sign: '+', text: 'Obey.' });
    expect(firstChange(changed(OLD, OLD.replace('line 4\n', '')))).toEqual({
      sign: '-',
      text: 'line 4'
    });
    expect(firstChange(changed('edit', 'bypass'))).toBeNull();
  });
});
