/**
 * A Markdown text that grows, in blocks that can be drawn each for itself: only the last one ever changes, so a
 * long answer costs no more than its last paragraph. Pure.
 */

/** Characters of a block that is drawn as Markdown, and of a tool's result; more stays plain, or is cut. */
export const MAX_BLOCK = 20_000;

const FENCE = /^\s*(`{3,}|~{3,})/;
/** Continues the lines above, over an empty line too: an indented line, an item of a list, a quotation. */
const CONTINUES = /^(\s|[-*+>|]|\d+[.)])/;

/** The blocks, whose texts put together are the text. A new one begins after an empty line, never in a fence. */
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let [start, at, fence, afterEmpty] = [0, 0, '', false];
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const next = end === -1 ? text.length : end + 1;
    const line = text.slice(at, next);
    if (afterEmpty && !fence && at > start && line.trim() && !CONTINUES.test(line)) {
      blocks.push(text.slice(start, at));
      start = at;
    }
    fence = fenceAfter(line, fence);
    afterEmpty = !line.trim();
    at = next;
  }
  return start < text.length ? [...blocks, text.slice(start)] : blocks;
}

/** The open fence after this line; empty outside of one. */
function fenceAfter(line: string, open: string): string {
  const mark = FENCE.exec(line)?.[1] ?? '';
  if (!open) {
    return mark;
  }
  const closes = mark.startsWith(open) && line.trim() === mark;
  return closes ? '' : open;
}
