/**
 * A change as texts: before and after, and as a place that an instruction can name. Pure.
 */
import type { FileDiff } from '../../api/types';

type DiffPart = FileDiff['parts'][number];

/** The lines before and after, those around them in both. */
export function sidesOf({ lines }: Pick<DiffPart, 'lines'>): { old: string; new: string } {
  const side = (without: '+' | '-') =>
    lines
      .filter(({ sign }) => sign !== without)
      .map(({ text }) => text)
      .join('\n');
  return { old: side('+'), new: side('-') };
}

/**
 * The same for a view that compares them: every line has its end, also the last one. Without it, a line that is put
 * behind the last one would count as a change of that line.
 */
export function endedSidesOf(part: Pick<DiffPart, 'lines'>): { old: string; new: string } {
  const side = (without: '+' | '-') =>
    part.lines.filter(({ sign }) => sign !== without).map(({ text }) => `${text}\n`);
  return { old: side('+').join(''), new: side('-').join('') };
}

/** Numbers of the first and the last line as they are now. */
export function lineRange({ lines, new_start }: Pick<DiffPart, 'lines' | 'new_start'>): {
  first: number;
  last: number;
} {
  const count = lines.filter(({ sign }) => sign !== '-').length;
  return { first: new_start, last: Math.max(new_start, new_start + count - 1) };
}

/** The same without the unchanged lines around the change; where it only removed lines, the line that follows them. */
export function changedRange(part: Pick<DiffPart, 'lines' | 'new_start'>): {
  first: number;
  last: number;
} {
  let line = part.new_start;
  const changed: number[] = [];
  for (const { sign } of part.lines) {
    if (sign !== ' ') {
      changed.push(line);
    }
    line += sign === '-' ? 0 : 1;
  }
  const first = changed[0] ?? part.new_start;
  const end = part.lines.map(({ sign }) => sign).lastIndexOf('+');
  const behind = part.lines.slice(end + 1).filter(({ sign }) => sign !== '-').length;
  return { first, last: Math.max(first, end < 0 ? first : line - 1 - behind) };
}

/** So many lines of a change are quoted in an instruction. */
const QUOTED_LINES = 30;

/** The instruction that a comment becomes: where, the present lines, and the comment. English, for the agent. */
export function instructionOf(path: string, part: DiffPart, comment: string): string {
  const { first, last } = lineRange(part);
  const place = part.title
    ? part.title
    : first === last
      ? `line ${first}`
      : `lines ${first} to ${last}`;
  const shown = sidesOf(part).new.split('\n');
  const quoted = shown.slice(0, QUOTED_LINES).join('\n');
  const fence = '`'.repeat(
    Math.max(3, ...[...quoted.matchAll(/`+/g)].map(([run]) => run.length + 1))
  );
  const rest = shown.length > QUOTED_LINES ? `\n… ${shown.length - QUOTED_LINES} more lines` : '';
  const code = quoted.trim() ? `\n\n${fence}\n${quoted}${rest}\n${fence}` : '';
  return `About ${path}, ${place}:${code}\n\n${comment.trim()}`;
}
