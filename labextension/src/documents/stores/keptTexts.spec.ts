import { type IKeptText, KeptTexts, removeOldTexts } from './keptTexts';

function aText(changes: Partial<IKeptText> = {}): IKeptText {
  return { path: 'a.md', text: 'mine', version: 'v1', at: 1, ...changes };
}

describe('KeptTexts', () => {
  beforeEach(() => localStorage.clear());

  const open = (key = 'ada', now = 0) => new KeptTexts(localStorage, key, () => now);

  it('gives the newest text of a document to a later page of the same person', () => {
    open().add(aText());
    open().add(aText({ text: 'mine, later', at: 2 }));
    open().add(aText({ path: 'b.md', at: 3 }));
    expect(open().of('a.md')).toEqual(aText({ text: 'mine, later', at: 2 }));
    expect(open('ben').of('a.md')).toBeNull();
  });

  it('gives the text before once the newest is removed, and leaves nothing behind', () => {
    open().add(aText());
    open().add(aText({ at: 2 }));
    open().remove(aText({ at: 2 }));
    expect(open().of('a.md')).toEqual(aText());
    open().remove(aText());
    expect(localStorage).toHaveLength(0);
  });

  it('gives a text of a page only once that is closed or has crashed', () => {
    open().add(aText({ page: 'p1' }));
    expect(open().of('a.md', new Set(['p1', 'p2']))).toBeNull();
    expect(open().of('a.md', new Set(['p2']))?.text).toBe('mine');
    open().replace([aText({ page: 'p1' })], [aText({ text: 'more', at: 2, page: '' })]);
    expect(open().of('a.md', new Set(['p1']))?.text).toBe('more');
    open().replace([aText({ text: 'more', at: 2 })], []);
    expect(open().of('a.md')).toBeNull();
  });

  it('drops the oldest where there are too many or they are too long', () => {
    for (let at = 0; at < 30; at += 1) {
      open().add(aText({ path: `${at}.md`, at }));
    }
    expect(open().of('9.md')).toBeNull();
    expect(open().of('10.md')).not.toBeNull();
    open().add(aText({ text: 'x'.repeat(2_000_000), at: 40 }));
    expect(open().of('a.md')?.at).toBe(40);
    expect(open().of('29.md')).toBeNull();
  });

  it('drops nothing for a text that is too long by itself', () => {
    open().add(aText({ path: 'kept.md' }));
    open().add(aText({ path: 'long.md', text: 'x'.repeat(2_000_001) }));
    expect(open().of('long.md')).toBeNull();
    expect(open().of('kept.md')).not.toBeNull();
  });

  it('offers no text that is older than 30 days, and removes it when it keeps another one', () => {
    const DAY = 24 * 3600 * 1000;
    open().add(aText({ at: DAY }));
    expect(open('ada', 31 * DAY - 1).of('a.md')).not.toBeNull();
    expect(open('ada', 31 * DAY).of('a.md')).toBeNull();
    open('ada', 31 * DAY).add(aText({ path: 'b.md', at: 31 * DAY }));
    expect(localStorage.getItem('ada')).not.toContain('a.md');
  });

  it('removes old texts of people who do not come back, and nothing else', () => {
    const recent = aText({ path: 'b.md', at: Date.now() });
    open('texts:gone').add(aText());
    open('texts:ada').replace([], [recent, aText()]);
    localStorage.setItem('other', '[{"at": 1}]');
    removeOldTexts(localStorage, 'texts:');
    expect(Object.keys(localStorage).sort()).toEqual(['other', 'texts:ada']);
    expect(JSON.parse(localStorage.getItem('texts:ada')!)).toEqual([recent]);
  });

  it('reads past what others have written', () => {
    localStorage.setItem('ada', '{');
    expect(open().of('a.md')).toBeNull();
    localStorage.setItem('ada', JSON.stringify([null, { path: 'a.md' }, aText()]));
    expect(open().of('a.md')).toEqual(aText());
  });

  it('throws nothing where the browser keeps nothing', () => {
    const full = {
      getItem: () => null,
      removeItem: () => undefined,
      setItem: () => {
        throw new Error('full');
      }
    };
    expect(new KeptTexts(full, 'ada').replace([], [aText()])).toBe(false);
  });
});
