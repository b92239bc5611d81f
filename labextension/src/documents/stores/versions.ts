/**
 * Which version of a document a file is, and whether a notebook’s cells are the same. Pure.
 */
import type * as nbformat from '@jupyterlab/nbformat';
import type { Contents } from '@jupyterlab/services';
import type { PartialJSONValue } from '@lumino/coreutils';

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
export function versionOf(model: Omit<Contents.IModel, 'content'>): string {
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

/** Whether a file with the content that is known was written once more, or another one came in while it was saved. */
export function isWrittenLater(
  disk: Contents.IModel,
  known: Omit<Contents.IModel, 'content'> | null | undefined
): boolean {
  return !!known && Date.parse(disk.last_modified) > Date.parse(known.last_modified);
}
