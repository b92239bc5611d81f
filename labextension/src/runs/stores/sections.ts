/**
 * A run's rows as an answer with its work folded into it: texts, and what was done between them. Pure.
 */
import { MAX_BLOCK } from './blocks';
import type { Row } from './output';

/** A call of a tool, with what came of it. */
export type ToolRow = Row & { kind: 'tool' };

/** What stands one below the other. `key` never changes while rows are added. */
export type Section =
  | { key: number; kind: 'text'; text: string; open: boolean }
  | { key: number; kind: 'work'; rows: readonly Row[]; seconds: number | null }
  | { key: number; kind: 'note'; row: Row };

/** The rows between two texts that belong to the work. */
const WORK: ReadonlySet<Row['kind']> = new Set(['tool', 'thinking', 'question', 'retry']);

/** How the CLI began and what it was sent is said elsewhere. */
const ELSEWHERE: ReadonlySet<Row['kind']> = new Set(['started', 'prompt']);

/** Rows in their order; calls that follow each other are one section. */
export function sectionsOf(rows: readonly Row[]): Section[] {
  const found: Section[] = [];
  for (const row of rows.filter(({ kind }) => !ELSEWHERE.has(kind))) {
    const last = found[found.length - 1];
    if (last?.kind === 'work' && last.seconds === null && !WORK.has(row.kind)) {
      last.seconds = Math.max(0, row.at - last.rows[0].at);
    }
    if (row.kind === 'text') {
      found.push({ key: row.key, kind: 'text', text: row.text, open: row.open });
    } else if (!WORK.has(row.kind)) {
      found.push({ key: row.key, kind: 'note', row });
    } else if (last?.kind === 'work') {
      last.rows = [...last.rows, row];
    } else {
      found.push({ key: row.key, kind: 'work', rows: [row], seconds: null });
    }
  }
  return found;
}

/** The calls among rows. */
export function toolsOf(rows: readonly Row[]): ToolRow[] {
  return rows.filter((row): row is ToolRow => row.kind === 'tool');
}

const LONGEST_GIST = 160;

/** "Read df.csv, Python": what was called, in one line. */
export function toolGist(rows: readonly Row[]): string {
  const names = toolsOf(rows).map(({ tool, summary }) =>
    summary && /^(read|edit|write|multiedit|notebookedit|glob|grep)$/i.test(tool)
      ? `${tool} ${summary.replace(/\s+/g, ' ')}`
      : tool
  );
  const line = names.join(', ');
  return line.length > LONGEST_GIST ? `${line.slice(0, LONGEST_GIST)}…` : line;
}

const WRITES = /^(edit|write|multi_?edit|notebook_?edit|apply_?patch|str_replace.*|create_file)$/i;
const PATHS = ['file_path', 'path', 'notebook_path', 'filename'] as const;

const isPath = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Files that calls have written, as far as the calls name them and have not failed; each once, the first first. */
export function changedFiles(rows: readonly Row[]): string[] {
  const found = toolsOf(rows)
    .filter(({ tool, result }) => WRITES.test(tool) && result !== null && !result.isError)
    .flatMap(({ input }) => input['paths'] ?? PATHS.map(name => input[name]).find(isPath));
  return [...new Set(found.filter(isPath))];
}

/** The beginning of a long text, for display in the page. */
export function cutText(text: string): { text: string; isCut: boolean } {
  return text.length > MAX_BLOCK
    ? { text: text.slice(0, MAX_BLOCK), isCut: true }
    : { text, isCut: false };
}
