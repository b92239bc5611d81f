/**
 * Making text of models, tools and strangers safe to look at: what cannot be seen is shown.
 * Pure text to text; `panels/untrusted` renders with it.
 */

/** Takes the place of `<` while Markdown is parsed, so that no HTML can come of the text. */
export const LESS_THAN = '\ue0f1';

/** Characters that are invisible, or change how their neighbours look. */
const HIDDEN_RANGES: readonly [number, number][] = [
  [0x00, 0x08], // controls, but not tab and newline
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad], // soft hyphen
  [0x34f, 0x34f],
  [0x61c, 0x61c], // Arabic letter mark
  [0x115f, 0x1160], // Hangul fillers
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f], // zero width, direction marks
  [0x2028, 0x202e], // line separators, embeddings, overrides
  [0x2060, 0x206f], // word joiner, isolates
  [0x3164, 0x3164],
  [0xd800, 0xdfff], // halves of a pair
  [0xe000, 0xf8ff], // private use
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1d173, 0x1d17a],
  [0xe0000, 0x10ffff] // tags, more selectors, private planes
];

const HIDDEN = new RegExp(
  `[${HIDDEN_RANGES.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join('')}]`,
  'gu'
);

const PICTOGRAPH = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;

/** The text with every invisible character shown as its code point, as in `‹U+202E›`. */
export function visible(text: string): string {
  const unix = text.replace(/\r\n/g, '\n');
  return unix.replace(HIDDEN, (character, offset: number) =>
    belongsToEmoji(character, offset, unix) ? character : marked(character)
  );
}

/** Zero-width joiners and variation selector 16 are part of many emoji, and only there allowed. */
function belongsToEmoji(character: string, offset: number, text: string): boolean {
  if (character !== '\u200d' && character !== '\ufe0f') {
    return false;
  }
  const before = lastCharacter(text.slice(Math.max(0, offset - 2), offset));
  const after = String.fromCodePoint(text.codePointAt(offset + character.length) ?? 0x20);
  const follows = PICTOGRAPH.test(before) || (character === '\ufe0f' && /[0-9#*]/.test(before));
  return follows && (character === '\ufe0f' || PICTOGRAPH.test(after));
}

function lastCharacter(text: string): string {
  return [...text].pop() ?? ' ';
}

function marked(character: string): string {
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return `‹U+${code}›`;
}

/** The text as Markdown that can only become Markdown's own elements: no HTML, no diagrams. */
export function harmlessMarkdown(text: string): string {
  return visible(text)
    .replace(/</g, LESS_THAN)
    .replace(/(`{3,}|~{3,})([ \t]*)mermaid/gi, '$1$2text');
}

/** The address when it is one a person may be led to; null for everything but http and https. */
export function safeUrl(address: string): URL | null {
  try {
    const url = new URL(address);
    const known = url.protocol === 'https:' || url.protocol === 'http:';
    return known && !url.username && !url.password ? url : null;
  } catch {
    return null;
  }
}

/** A program's raw output as lines to read: without colours, cursor movements and window titles. */
export function withoutSequences(text: string): string {
  return text
    .replace(OSC, '')
    .replace(CSI, '')
    .replace(/\r+\n/g, '\n')
    .replace(/\r/g, '\n')
    .replace(/\n{3,}/g, '\n\n');
}

const OSC = /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?/g;
const CSI = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])/g;
