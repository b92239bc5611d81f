import { mentionsIn } from './mentions';

describe('mentions', () => {
  it.each([
    ['Ask @ben and @ada-2, then @ben again.', ['ben', 'ada-2']],
    ['@ben', ['ben']],
    ['(@ben)\n@eve: hello', ['ben', 'eve']],
    ['Write to ben@example.com, a/@ben, @@ben, @Ben, @ben@x or @ben_x.', []],
    [`@${'a'.repeat(65)} @${'a'.repeat(64)}`, ['a'.repeat(64)]],
    ['', []]
  ])('are found in %j', (text, expected) => {
    expect(mentionsIn(text)).toEqual(expected);
  });

  it('are found quickly in a long text', () => {
    const began = Date.now();
    expect(mentionsIn(`${'@a-'.repeat(200_000)} @ben`)).toEqual([]);
    expect(Date.now() - began).toBeLessThan(2000);
  });
});
