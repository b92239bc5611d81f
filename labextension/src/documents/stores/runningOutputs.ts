/**
 * The outputs of cells that run on this page, in a shared notebook whose file an agent writes. The server takes the
 * file into the shared document as it is, with outputs as old as the last save; what the kernel has written since
 * is put back. Nobody but the kernel of this page writes them while their cell runs.
 */
import type { ISharedCell, ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type * as nbformat from '@jupyterlab/nbformat';
import { JSONExt, type ReadonlyPartialJSONValue } from '@lumino/coreutils';

interface ITransaction {
  /** False for what came from the server. */
  local: boolean;
}

/** What of a shared notebook on Yjs is needed here. */
interface IYNotebook extends ISharedNotebook {
  readonly ydoc: {
    on(name: 'beforeTransaction' | 'afterTransaction', slot: (change: ITransaction) => void): void;
    off(name: 'beforeTransaction' | 'afterTransaction', slot: (change: ITransaction) => void): void;
  };
}

/** `running`: the ids of the cells that run here. Ends when the answer is called. */
export function keepRunningOutputs(
  notebook: ISharedNotebook,
  running: () => ReadonlySet<string>
): () => void {
  const { ydoc } = notebook as IYNotebook;
  let before = new Map<string, nbformat.IOutput[]>();
  const note = ({ local }: ITransaction) => {
    const ids = local ? new Set<string>() : running();
    const cells = ids.size ? notebook.cells.filter(cell => ids.has(cell.getId())) : [];
    before = new Map(cells.filter(isCode).map(cell => [cell.getId(), cell.getOutputs()]));
  };
  const putBack = ({ local }: ITransaction) => {
    const kept = before;
    before = new Map();
    if (local || !kept.size) {
      return;
    }
    // Outside of the transaction, and before the kernel says anything more.
    void Promise.resolve().then(() => {
      for (const cell of notebook.cells.filter(isCode)) {
        const outputs = kept.get(cell.getId());
        if (outputs && !equal(outputs, cell.getOutputs())) {
          cell.setOutputs(outputs);
        }
      }
    });
  };
  ydoc.on('beforeTransaction', note);
  ydoc.on('afterTransaction', putBack);
  return () => {
    ydoc.off('beforeTransaction', note);
    ydoc.off('afterTransaction', putBack);
  };
}

function isCode(cell: ISharedCell): cell is ISharedCodeCell {
  return cell.cell_type === 'code';
}

function equal(a: unknown, b: unknown): boolean {
  return JSONExt.deepEqual(a as ReadonlyPartialJSONValue, b as ReadonlyPartialJSONValue);
}
