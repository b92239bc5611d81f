/**
 * What a page knows of the file of its notebook, to tell an agent's change of the file from what the notebook's kernel has
 * written meanwhile. Pure; everything it gets is the content of a notebook.
 */
import type * as nbformat from '@jupyterlab/nbformat';
import { JSONExt, type PartialJSONValue, type ReadonlyPartialJSONValue } from '@lumino/coreutils';

import { cellsOf } from './versions';

/** Of one cell: a save that is on its way may reach the file before or after an agent reads it. */
const MOST_STATES = 12;

/** What only a kernel writes. */
interface IResult {
  outputs: nbformat.IOutput[];
  execution_count: number | null;
}

/** One for each notebook that is open. */
export class KnownNotebook {
  /** The file has exactly this, and nobody has read an older one. */
  restart(content: unknown): void {
    this._results.clear();
    this.taken(content);
  }

  /** The file had this: the notebook was read from it, or it was taken in. */
  taken(content: unknown): void {
    this._onDisk = sourcesOf(content);
    this._note(content);
  }

  /** This is about to be written. */
  saving(content: unknown): void {
    this._onTheWay = sourcesOf(content);
    this._note(content);
  }

  /** What was on its way is written. */
  saved(): void {
    this._onDisk = this._onTheWay;
  }

  /** Whether a notebook differs from its file only by what its kernel has done: it names itself and writes outputs. */
  untouched(now: unknown): boolean {
    return this._onDisk !== null && equal(this._onDisk, sourcesOf(now));
  }

  /**
   * What somebody else wrote, with what our kernel has written. A result that the file may have had before is no
   * change of theirs. Null where both have changed the outputs of a cell. Cells are identified by their ids.
   */
  withOurResults(ours: unknown, theirs: unknown): unknown {
    const [own, other] = [notebook(ours), notebook(theirs)];
    if (!own || !other) {
      return theirs;
    }
    const mine = new Map(own.cells.map(cell => [cell.id, cell]));
    let bothChanged = false;
    const cells = other.cells.map(cell => {
      const present = mine.get(cell.id);
      if (cell.cell_type !== 'code' || present?.cell_type !== 'code') {
        return cell;
      }
      const [kept, written] = [resultOf(present), resultOf(cell)];
      if (this._isKnown(cell, written)) {
        return { ...cell, ...kept };
      }
      bothChanged ||= !this._isKnown(cell, kept) && !equal(kept.outputs, written.outputs);
      return cell;
    });
    return bothChanged ? null : { ...other, cells };
  }

  private _note(content: unknown): void {
    for (const cell of notebook(content)?.cells ?? []) {
      const known = this._results.get(cell.id) ?? [];
      const result = resultOf(cell);
      if (cell.cell_type === 'code' && !equal(known.at(-1) ?? null, result)) {
        this._results.set(cell.id, [...known, result].slice(-MOST_STATES));
      }
    }
  }

  private _isKnown({ id }: nbformat.ICell, result: IResult): boolean {
    return this._results.get(id)?.some(known => equal(known, result)) ?? false;
  }

  private readonly _results = new Map<unknown, IResult[]>();
  private _onDisk: PartialJSONValue[] | null = null;
  private _onTheWay: PartialJSONValue[] | null = null;
}

function notebook(content: unknown): nbformat.INotebookContent | null {
  return cellsOf(content) === null ? null : (content as nbformat.INotebookContent);
}

function resultOf({ outputs, execution_count }: nbformat.ICell): IResult {
  return {
    outputs: (outputs as nbformat.IOutput[] | undefined) ?? [],
    execution_count: (execution_count as number | null | undefined) ?? null
  };
}

/** Type and source of each cell. */
function sourcesOf(content: unknown): PartialJSONValue[] | null {
  return cellsOf(content)?.map(cell => (cell as PartialJSONValue[]).slice(0, 2)) ?? null;
}

function equal(a: unknown, b: unknown): boolean {
  return JSONExt.deepEqual(a as ReadonlyPartialJSONValue, b as ReadonlyPartialJSONValue);
}
