/**
 * Taking a new version into an open document by the smallest edits, so that cursors, selections,
 * scroll and the cells nobody touched stay. Works on the shared models of `@jupyter/ydoc`; no DOM.
 */
import type { ISharedCell, ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type * as nbformat from '@jupyterlab/nbformat';
import { JSONExt, type PartialJSONValue, type ReadonlyPartialJSONValue } from '@lumino/coreutils';
import { diffArrays } from 'diff';

/** One edit of a text: offsets are in UTF-16 units of the old text. */
export interface IEdit {
  /** Half-open range of the old text. */
  start: number;
  end: number;
  text: string;
}

interface ISharedSource {
  getSource(): string;
  updateSource(start: number, end: number, value?: string): void;
}

/** Two files that have little in common are compared no longer; then everything is taken as changed. */
const PATIENCE_MS = 200;

/**
 * The edits that make `next` of `old`, by lines, each cut to the characters that differ; last first.
 * `patience`: in milliseconds.
 */
export function textEdits(old: string, next: string, patience = PATIENCE_MS): IEdit[] {
  const [from, to] = [lines(old), lines(next)];
  const offsets = [0];
  from.forEach(line => offsets.push(offsets[offsets.length - 1] + line.length));
  return hunks(from, to, (a, b) => a === b, patience)
    .map(({ oldStart, oldEnd, newStart, newEnd }) =>
      trim(old, {
        start: offsets[oldStart],
        end: offsets[oldEnd],
        text: to.slice(newStart, newEnd).join('')
      })
    )
    .reverse();
}

/** Takes a person's trust from a cell that gets outputs somebody else wrote. The shared model does not hold it. */
export type Distrust = (cell: ISharedCell) => void;

/** Take a text file's or notebook's new content into its shared model. */
export function mergeInto(
  shared: unknown,
  next: unknown,
  distrust: Distrust = () => undefined
): void {
  if (typeof next === 'string') {
    mergeText(shared as ISharedSource, next);
  } else {
    mergeNotebook(shared as ISharedNotebook, next as nbformat.INotebookContent, distrust);
  }
}

/** Makes the text `next` by the smallest edits that were found, so that cursors stay where they are. */
export function mergeText(shared: ISharedSource, next: string): void {
  for (const { start, end, text } of textEdits(shared.getSource(), next)) {
    shared.updateSource(start, end, text);
  }
}

function mergeNotebook(
  shared: ISharedNotebook,
  next: nbformat.INotebookContent,
  distrust: Distrust
): void {
  shared.transact(() => {
    const same = (a: ISharedCell, b: nbformat.ICell) =>
      a.cell_type === b.cell_type && (a.id === b.id || a.getSource() === sourceOf(b));
    const found = hunks([...shared.cells], next.cells, same);
    mergeKept([...shared.cells], next.cells, found, distrust);
    for (const hunk of [...found].reverse()) {
      mergeHunk(shared, next.cells, hunk, distrust);
    }
    if (!equal(shared.metadata, next.metadata)) {
      shared.metadata = JSONExt.deepCopy(next.metadata) as nbformat.INotebookMetadata;
    }
  });
}

/** A stretch that differs: half-open ranges of both lists. */
export interface IHunk {
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
}

/** Stretches that differ, in order; what lies between them is common. Where it takes too long to find them: one. */
export function hunks<A, B>(
  old: A[],
  next: B[],
  same: (a: A, b: B) => boolean,
  patience = PATIENCE_MS
): IHunk[] {
  const changes = diffArrays<A | B>(old, next, {
    comparator: (a, b) => same(a as A, b as B),
    timeout: patience
  });
  if (!changes) {
    return [{ oldStart: 0, oldEnd: old.length, newStart: 0, newEnd: next.length }];
  }
  const found: IHunk[] = [];
  let [i, j, open] = [0, 0, false];
  for (const { added, removed, count } of changes) {
    const [oldEnd, newEnd] = [added ? i : i + count, removed ? j : j + count];
    if (!added && !removed) {
      open = false;
    } else if (open) {
      Object.assign(found[found.length - 1], { oldEnd, newEnd });
    } else {
      found.push({ oldStart: i, oldEnd, newStart: j, newEnd });
      open = true;
    }
    [i, j] = [oldEnd, newEnd];
  }
  return found;
}

/** Cells that are the same cell on both sides may still differ in source, outputs or metadata. */
function mergeKept(
  old: ISharedCell[],
  next: nbformat.ICell[],
  found: IHunk[],
  distrust: Distrust
): void {
  let [i, j] = [0, 0];
  const ends = {
    oldStart: old.length,
    newStart: next.length,
    oldEnd: 0,
    newEnd: 0
  };
  for (const hunk of [...found, ends]) {
    while (i < hunk.oldStart && j < hunk.newStart) {
      mergeCell(old[i++], next[j++], distrust);
    }
    [i, j] = [hunk.oldEnd, hunk.newEnd];
  }
}

/** Cells changed one for one are edited in place; else old ones go and new ones come. */
function mergeHunk(
  shared: ISharedNotebook,
  next: nbformat.ICell[],
  hunk: IHunk,
  distrust: Distrust
): void {
  const old = shared.cells.slice(hunk.oldStart, hunk.oldEnd);
  const fresh = next.slice(hunk.newStart, hunk.newEnd);
  const oneForOne =
    old.length === fresh.length &&
    old.every((cell, index) => cell.cell_type === fresh[index].cell_type);
  if (oneForOne) {
    old.forEach((cell, index) => mergeCell(cell, fresh[index], distrust));
    return;
  }
  shared.insertCells(hunk.oldEnd, fresh.map(toShared));
  if (old.length) {
    shared.deleteCellRange(hunk.oldStart, hunk.oldEnd);
  }
}

function mergeCell(cell: ISharedCell, next: nbformat.ICell, distrust: Distrust): void {
  const source = sourceOf(next);
  const code = cell.cell_type === 'code' ? (cell as ISharedCodeCell) : null;
  const changesSource = cell.getSource() !== source;
  mergeText(cell, source);
  const changesOutputs = code !== null && mergeOutputs(code, next, distrust);
  const touched = changesSource || changesOutputs;
  // The server trusts nothing of a notebook that somebody else wrote. What the person trusted and
  // nobody touched stays trusted; what changed does not.
  const trusted = touched ? next.metadata.trusted : cell.getMetadata('trusted');
  const metadata: Record<string, unknown> = { ...next.metadata };
  delete metadata.trusted;
  if (trusted !== undefined) {
    metadata.trusted = trusted;
  }
  if (!equal(cell.getMetadata(), metadata)) {
    cell.setMetadata(metadata as Partial<nbformat.IBaseCellMetadata>);
  }
}

/** Whether the outputs are others now. */
function mergeOutputs(cell: ISharedCodeCell, next: nbformat.ICell, distrust: Distrust): boolean {
  const outputs = (next.outputs as nbformat.IOutput[] | undefined) ?? [];
  const changed = !equal(cell.getOutputs(), outputs);
  if (changed) {
    if (next.metadata.trusted !== true) {
      distrust(cell); // before they are there: a trusted cell runs at once what they hold
    }
    cell.setOutputs(outputs);
  }
  if (cell.execution_count !== (next.execution_count ?? null)) {
    cell.execution_count = (next.execution_count as number | null) ?? null;
  }
  return changed;
}

function toShared(cell: nbformat.ICell) {
  const copy = JSONExt.deepCopy(cell as PartialJSONValue) as unknown as nbformat.ICell;
  return { ...copy, source: sourceOf(cell) } as Parameters<ISharedNotebook['insertCell']>[1];
}

function sourceOf(cell: nbformat.ICell): string {
  return Array.isArray(cell.source) ? cell.source.join('') : cell.source;
}

function equal(a: unknown, b: unknown): boolean {
  return JSONExt.deepEqual(a as ReadonlyPartialJSONValue, b as ReadonlyPartialJSONValue);
}

function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Cut common characters off both ends, never between the halves of a surrogate pair. */
function trim(old: string, edit: IEdit): IEdit {
  let { start, end, text } = edit;
  while (start < end && text && old[start] === text[0] && !halves(old, start + 1)) {
    start += 1;
    text = text.slice(1);
  }
  while (start < end && text && old[end - 1] === text[text.length - 1] && !halves(old, end - 1)) {
    end -= 1;
    text = text.slice(0, -1);
  }
  return { start, end, text };
}

function halves(text: string, index: number): boolean {
  return /[\ud800-\udbff]/.test(text[index - 1] ?? '') && /[\udc00-\udfff]/.test(text[index] ?? '');
}
