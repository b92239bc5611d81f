/** With JupyterLab's own model of a notebook, whose document of Yjs gets updates as from a server. */
import type { ISharedCodeCell } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { NotebookModel } from '@jupyterlab/notebook';
import * as Y from 'yjs';

import { distrustRemoteOutputs } from './remoteOutputs';

const html = {
  output_type: 'display_data',
  data: { 'text/html': '<script></script>' },
  metadata: {}
} as const;

function parts() {
  const model = new NotebookModel();
  const cell = { cell_type: 'code', metadata: {}, outputs: [], execution_count: null, id: 'a' };
  model.fromJSON({
    cells: [{ ...cell, source: '1' } as never],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5
  });
  const agents = { work: true };
  distrustRemoteOutputs({ model } as unknown as DocumentRegistry.Context, () => agents.work);
  const code = model.cells.get(0) as import('@jupyterlab/cells').ICodeCellModel;
  code.trusted = true;
  const trusted: boolean[] = []; // of each output, when it is drawn first
  code.outputs.changed.connect((_, { newValues, type }) => {
    if (type === 'add') {
      trusted.push(...newValues.map(output => output.trusted));
    }
  });
  const { ydoc } = model.sharedModel as unknown as { ydoc: Y.Doc };
  /** As the server sends it: another document that makes the change, and its update. */
  const remote = (change: (cell: Y.Map<unknown>) => void) => {
    const other = new Y.Doc();
    Y.applyUpdate(other, Y.encodeStateAsUpdate(ydoc));
    change(other.getArray<Y.Map<unknown>>('cells').get(0));
    Y.applyUpdate(ydoc, Y.encodeStateAsUpdate(other, Y.encodeStateVector(ydoc)));
  };
  const writeOutput = () => remote(cell => (cell.get('outputs') as Y.Array<unknown>).push([html]));
  return { agents, code, trusted, remote, writeOutput };
}

describe('a shared notebook while agents work', () => {
  it('draws outputs from elsewhere without the trust that their cell had', () => {
    const { code, trusted, writeOutput } = parts();
    writeOutput();
    expect([code.trusted, trusted]).toEqual([false, [false]]);
    expect((code.sharedModel as ISharedCodeCell).getOutputs()).toHaveLength(1);
  });

  it('leaves trust to what this page’s own kernel writes, also after a change of the source', () => {
    const { code, trusted, remote } = parts();
    remote(cell => (cell.get('source') as Y.Text).insert(0, '# By the agent\n'));
    code.outputs.add(html);
    expect([code.trusted, trusted]).toEqual([true, [true]]);
  });

  it('changes nothing while no agent works', () => {
    const { agents, code, trusted, writeOutput } = parts();
    agents.work = false;
    writeOutput();
    expect([code.trusted, trusted]).toEqual([true, [true]]);
  });
});
