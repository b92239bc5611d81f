/**
 * Outputs that reach a notebook through its shared document while agents work. They may be an agent's, and their cell
 * may have a person's trust, with which they would run as scripts. What this page's own kernel writes keeps that trust.
 * No DOM.
 */
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';

/** What we need of a document of Yjs, whose events come before and after everybody hears of a transaction. */
interface ITransaction {
  local: boolean;
  changed: Map<unknown, unknown>;
}

interface IYDoc {
  on(name: 'beforeObserverCalls' | 'afterTransaction', hear: (which: ITransaction) => void): void;
}

/** From now on a cell that gets outputs from elsewhere loses its trust before they are drawn, while this is `wanted`. */
export function distrustRemoteOutputs(
  context: DocumentRegistry.Context,
  wanted: () => boolean
): void {
  const { cells, sharedModel } = context.model as INotebookModel;
  const doc = (sharedModel as unknown as { ydoc?: IYDoc }).ydoc;
  let lent: ICodeCellModel[] = [];
  let known: Set<ICellModel> | null = null;
  doc?.on('beforeObserverCalls', ({ changed, local }) => {
    if (!local && wanted()) {
      known = new Set(cells);
      lent = [...known].filter(
        (cell): cell is ICodeCellModel =>
          cell.type === 'code' && cell.trusted && changed.has(outputsOf(cell))
      );
      lent.forEach(distrustBeforeNextOutput);
    }
  });
  doc?.on('afterTransaction', () => {
    lent.forEach(({ outputs }) => delete (outputs as Partial<typeof outputs>).add); // the class's own method shows again
    const before = known;
    [lent, known] = [[], null];
    const added = before ? [...cells].filter(cell => !before.has(cell)) : [];
    added.forEach(cell => (cell.trusted = false));
  });
}

function outputsOf(cell: ICellModel): unknown {
  const { ymodel } = cell.sharedModel as unknown as { ymodel?: Map<string, unknown> };
  return ymodel?.get('outputs');
}

function distrustBeforeNextOutput(cell: ICodeCellModel): void {
  const { outputs } = cell;
  const add = outputs.add.bind(outputs);
  outputs.add = output => {
    cell.trusted = false;
    return add(output);
  };
}
