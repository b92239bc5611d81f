/**
 * Which version of a document a file is, and whether a notebook’s cells are the same. Pure.
 */
import type * as nbformat from '@jupyterlab/nbformat';
import type { Contents } from '@jupyterlab/services';
import { JSONExt, type PartialJSONValue, type ReadonlyPartialJSONValue } from '@lumino/coreutils';

/** Type, source and outputs of each cell; null for what is no notebook. */
export function cellsOf(notebook: unknown): PartialJSONValue[] | null {
  const cells = (notebook as Partial<nbformat.INotebookContent> | null)?.cells;
  return Array.isArray(cells)
    ? cells.map(cell => [
        cell.cell_type,
        Array.isArray(cell.source) ? cell.source.join('') : cell.source,
        (cell.outputs ?? []) as PartialJSONValue
      ])
    : null;
}

/** A word that is another one for each content of the file. */
export function versionOf(model: Contents.IModel): string {
  return model.hash ?? model.last_modified;
}

/** Whether the file is another one than what the document was read from; false where that is not known. */
export function isNewer(
  disk: Contents.IModel,
  known: Omit<Contents.IModel, 'content'> | null | undefined
): boolean {
  if (!known) {
    return false;
  }
  return disk.hash && known.hash
    ? disk.hash !== known.hash
    : Date.parse(disk.last_modified) > Date.parse(known.last_modified);
}

/**
 * Whether a notebook still has the cells of an earlier state of it, but for their outputs: those a kernel writes while
 * nobody works on it. Both are the content of a file.
 */
export function sameButOutputs(before: unknown, now: unknown): boolean {
  const sources = (notebook: unknown) =>
    cellsOf(notebook)?.map(cell => (cell as PartialJSONValue[]).slice(0, 2)) ?? null;
  const [old, present] = [sources(before), sources(now)];
  return old !== null && present !== null && equal(old, present);
}

/**
 * What somebody else wrote, with the outputs that our kernel has written since the state that both began with. Null
 * where both have changed the outputs of a cell. Cells are told by their ids.
 */
export function withOurOutputs(
  before: nbformat.INotebookContent,
  ours: nbformat.INotebookContent,
  theirs: nbformat.INotebookContent
): nbformat.INotebookContent | null {
  const [old, own] = [before, ours].map(byId);
  let bothChanged = false;
  const cells = theirs.cells.map(cell => {
    const [base, mine] = [old, own].map(known => known.get(cell.id as string));
    if (!base || !mine || equal(mine.outputs ?? [], base.outputs ?? [])) {
      return cell;
    }
    if (!equal(cell.outputs ?? [], base.outputs ?? [])) {
      bothChanged ||= !equal(cell.outputs ?? [], mine.outputs ?? []);
      return cell;
    }
    return { ...cell, outputs: mine.outputs, execution_count: mine.execution_count };
  });
  return bothChanged ? null : { ...theirs, cells };
}

function byId({ cells }: nbformat.INotebookContent): Map<string, nbformat.ICell> {
  return new Map(cells.filter(({ id }) => id).map(cell => [cell.id as string, cell]));
}

function equal(a: unknown, b: unknown): boolean {
  return JSONExt.deepEqual(a as ReadonlyPartialJSONValue, b as ReadonlyPartialJSONValue);
}
