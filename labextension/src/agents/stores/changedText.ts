/**
 * What has changed in a text that steers an agent, in the lines around each change. Pure.
 */
import type { Difference } from '../../api/types';
import { type IDiffLine, lineDiff } from '../../shared/lineDiff';

/** Unchanged lines that are shown before and after a change. */
const CONTEXT = 2;
/** A value of one line that is longer is compared as a text. In characters. */
const LONGEST_VALUE = 80;

/** Lines that follow each other. `skipped`: unchanged lines before them, which are not shown. */
export interface ITextPart {
  skipped: number;
  lines: IDiffLine[];
}

/** Null for short values, which are best seen beside each other, and for what was not there before or is gone. */
export function changedText({ after, before }: Difference): ITextPart[] | null {
  const isText = (text: string) => text.includes('\n') || text.length > LONGEST_VALUE;
  if (!before || !after || !(isText(before) || isText(after))) {
    return null;
  }
  return parts(lineDiff(ended(before), ended(after)));
}

/** The first line that came, or else the first that went. */
export function firstChange(difference: Difference): IDiffLine | null {
  const lines = (changedText(difference) ?? []).flatMap(part => part.lines);
  return (
    lines.find(({ sign, text }) => sign === '+' && text.trim()) ??
    lines.find(({ sign, text }) => sign === '-' && text.trim()) ??
    null
  );
}

/** A line without an end counts as another line than the same one with it. */
function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function parts(all: readonly IDiffLine[]): ITextPart[] {
  const isShown = all.map((_, at) =>
    all.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' ')
  );
  const found: ITextPart[] = [];
  let skipped = 0;
  all.forEach((line, at) => {
    if (!isShown[at]) {
      skipped += 1;
      return;
    }
    if (skipped || !found.length) {
      found.push({ skipped, lines: [] });
      skipped = 0;
    }
    found[found.length - 1].lines.push(line);
  });
  return skipped ? [...found, { skipped, lines: [] }] : found;
}
