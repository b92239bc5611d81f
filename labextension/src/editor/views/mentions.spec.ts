import { mentionAt, mentionOf } from './mentions';

describe('a mention', () => {
  it.each([
    ['see @re', { query: 're', length: 3 }],
    ['@', { query: '', length: 1 }],
    ['see @"two wo', { query: 'two wo', length: 8 }],
    ['see @"two words.md"', null],
    ['mail@host', null],
    ['@done now', null]
  ])('is being written in %j', (text, found) => expect(mentionAt(text)).toEqual(found));

  it.each([
    ['plain.md', '@plain.md'],
    ['reports/two words.md', '@"reports/two words.md"'],
    ['notes (v2)', '@"notes (v2)"'],
    ['say "no".md', null]
  ])('of %j is written so that the server reads it whole', (path, text) =>
    expect(mentionOf(path)).toBe(text)
  );
});
