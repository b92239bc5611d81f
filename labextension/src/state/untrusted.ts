/**
 * Making text of models, tools and strangers safe to look at: what cannot be seen is shown.
 * Pure text to text; `panels/untrusted` renders with it.
 */

/** Takes the place of `<` while Markdown is parsed, so that no HTML can come of the text. */
export const LESS_THAN = '\ue0f1';

/* Controls but tab and newline; soft hyphen, bidi marks, embeddings, overrides and isolates; zero-width
   characters; line separators; fillers; variation selectors; tags; private use; lone surrogates. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ue000-\uf8ff\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}\ud800-\udfff]/gu;

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
