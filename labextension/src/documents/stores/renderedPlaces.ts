/**
 * Where the changes of a Markdown text are in its preview. The renderer does not tell from which line a block comes, so
 * the lines and the blocks are read side by side. Pure.
 */
import { type IChangedPlace, standsIn } from './changedPlaces';
import { placeOf } from './places';

/** Blocks by their index. */
export interface IRenderedPlace {
  /** Those that show what was written; empty if lines were only removed, or nothing of them is visible. */
  written: readonly number[];
  /** The one to scroll to; `null` if the preview does not show the place, or not yet. */
  anchor: number | null;
}

/** Where a proposed change is shown. Blocks by their index. */
export interface IRenderedProposal {
  /** Those with lines that would be removed or replaced. */
  goes: readonly number[];
  /** The block below which the change is shown; `null` above the first one. */
  after: number | null;
}

/** Some lines are not rendered (comments, definitions of links): the blocks that are searched for the next line. */
const BLOCKS_AHEAD = 20;
/** A person may have written so many lines above a change since the run. */
const MOST_SHIFTED = 200;
/** Shorter text is found anywhere. */
const SHORTEST_INSIDE = 4;

/** `blocks`: the text of each paragraph, heading, item, row and code block, without that of blocks in it. */
export function renderedPlaces(
  source: string,
  places: readonly IChangedPlace[],
  blocks: readonly string[]
): Map<IChangedPlace, IRenderedPlace> {
  const lines = source.split('\n');
  const shown = blocksOfLines(lines, blocks.map(lettersOf));
  return new Map(places.map(place => [place, rendered(place, lines, shown)]));
}

/** The place of a proposed change; the beginning of the preview if the text does not have its old lines. */
export function renderedProposal(
  source: string,
  edit: { old: string; new: string },
  blocks: readonly string[]
): IRenderedProposal {
  const { after, goes } = placeOf(source, edit);
  const shown = blocksOfLines(source.split('\n'), blocks.map(lettersOf));
  const above = shown.slice(0, after).filter(isBlock);
  return {
    goes: [...new Set(goes.map(line => shown[line - 1]).filter(isBlock))],
    after: above[above.length - 1] ?? null
  };
}

function rendered(
  place: IChangedPlace,
  lines: readonly string[],
  shown: readonly (number | null)[]
): IRenderedPlace {
  const shift = shiftOf(place, lines);
  if (shift === null) {
    return { written: [], anchor: null };
  }
  const written = new Set<number>();
  for (const { number } of place.lines) {
    const block = shown[number + shift - 1];
    if (isBlock(block)) {
      written.add(block);
    }
  }
  const hasText = place.lines.some(({ text }) => lettersOf(withoutSyntax(text)) !== '');
  const [first = hasText ? null : nearest(shown, place.first + shift - 1)] = written;
  return { written: [...written], anchor: first };
}

/** How far the place has moved down since the run; `null` if the text does not have it. */
function shiftOf(place: IChangedPlace, lines: readonly string[]): number | null {
  const lineAt = (number: number) => lines[number - 1] ?? null;
  const most = place.lines.some(({ text }) => text.trim()) ? MOST_SHIFTED : 0;
  for (let distance = 0; distance <= most; distance += 1) {
    const found = [distance, -distance].find(shift => standsIn(place, lineAt, shift));
    if (found !== undefined) {
      return found;
    }
  }
  return null;
}

/** The block of the next line that has one, else of the last line that has one. */
function nearest(shown: readonly (number | null)[], index: number): number | null {
  const before = shown.slice(0, index).filter(isBlock);
  return shown.slice(index).find(isBlock) ?? before[before.length - 1] ?? null;
}

function isBlock(block: number | null | undefined): block is number {
  return block !== null && block !== undefined;
}

/** For each line the block that shows it. The text of a block is that of its lines, one after the other. */
function blocksOfLines(lines: readonly string[], blocks: readonly string[]): (number | null)[] {
  let [block, read] = [0, 0]; // the letters of this block that belong to earlier lines
  return lines.map(line => {
    const text = lettersOf(withoutSyntax(line));
    const found = text ? blockOf(text, blocks, block, read) : null;
    if (found) {
      [block, read] = [found.block, found.end];
    }
    return found && found.block;
  });
}

function blockOf(
  text: string,
  blocks: readonly string[],
  block: number,
  read: number
): { block: number; end: number } | null {
  if (blocks[block]?.startsWith(text, read)) {
    return { block, end: read + text.length };
  }
  const last = Math.min(blocks.length, block + BLOCKS_AHEAD);
  for (let next = block + 1; next < last; next += 1) {
    if (blocks[next].startsWith(text)) {
      return { block: next, end: text.length };
    }
  }
  const inside = text.length < SHORTEST_INSIDE ? -1 : (blocks[block]?.indexOf(text, read) ?? -1);
  return inside < 0 ? null : { block, end: inside + text.length };
}

/** Without the addresses of links and images, tags, the numbers of lists and the fences of code. */
function withoutSyntax(line: string): string {
  return line
    .replace(/^\s*(```|~~~).*$/, '')
    .replace(/^[\s>]*\d+[.)]\s/, '')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/^([\s>]*[-*+]\s+)\[[ xX]\]\s/, '$1')
    .replace(/<\/?[a-zA-Z][^>]*>/g, '');
}

/** What is the same in a source and in what is rendered. */
function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}
