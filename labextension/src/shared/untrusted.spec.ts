import { harmlessMarkdown, safeUrl, visible, withoutSequences } from './untrusted';

describe('visible', () => {
  it('shows what reorders, hides or joins text', () => {
    expect(visible('a\u202eb')).toBe('a‹U+202E›b');
    expect(visible('pay\u200bpal')).toBe('pay‹U+200B›pal');
    expect(visible('\x1b[31m')).toBe('‹U+001B›[31m');
    expect(visible('\u{e0041}')).toBe('‹U+E0041›');
    expect(visible('x\ufe01')).toBe('x‹U+FE01›');
    expect(visible('\ud800')).toBe('‹U+D800›');
  });

  it('keeps lines, tabs, accents and whole emoji', () => {
    const text = 'Grüße,\tthree\nlines 👩‍💻 ❤️ 1️⃣';
    expect(visible(text)).toBe(text);
    expect(visible('a\r\nb')).toBe('a\nb');
  });

  it('shows a joiner that joins no emoji', () => {
    expect(visible('a\u200db')).toBe('a‹U+200D›b');
  });
});

describe('harmlessMarkdown', () => {
  it('leaves nothing that can begin a tag or a diagram', () => {
    const text = harmlessMarkdown('<img src=x>\n```mermaid\ngraph\n```');
    expect(text).not.toContain('<');
    expect(text).not.toMatch(/mermaid/);
  });
});

describe('safeUrl', () => {
  it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '/lab', 'http://a@b/'])(
    'refuses %s',
    address => expect(safeUrl(address)).toBeNull()
  );

  it('takes web addresses', () => {
    expect(safeUrl('https://example.com/x')?.host).toBe('example.com');
  });
});

describe('withoutSequences', () => {
  it('leaves the words of a terminal program', () => {
    const raw = '\x1b]0;title\x07\x1b[1;32mDone\x1b[0m\r\n\x1b[2K\x1b7line\x1b8\r\n\r\n\r\nend';
    expect(withoutSequences(raw)).toBe('Done\nline\n\nend');
  });
});
