/** With the shared models of `@jupyter/ydoc`, one of which stands for the server. */
import { type ISharedCodeCell, YNotebook } from '@jupyter/ydoc';
import * as Y from 'yjs';

import { keepRunningOutputs } from './runningOutputs';

const line = (text: string) => ({ output_type: 'stream' as const, name: 'stdout', text });

function parts() {
  const [here, server] = [new YNotebook(), new YNotebook()];
  here.insertCells(
    0,
    ['runs', 'rests'].map(id => ({
      id,
      cell_type: 'code' as const,
      source: id,
      metadata: {},
      outputs: [line('old')]
    }))
  );
  Y.applyUpdate(server.ydoc, Y.encodeStateAsUpdate(here.ydoc));
  const take = () => Y.applyUpdate(here.ydoc, Y.encodeStateAsUpdate(server.ydoc));
  const textsOf = (notebook: YNotebook) =>
    notebook.cells.map(cell => (cell as ISharedCodeCell).getOutputs().map(({ text }) => text));
  /** As the server does when it takes in a file. */
  const load = (...outputs: string[]) =>
    server.cells.forEach(cell => (cell as ISharedCodeCell).setOutputs(outputs.map(line)));
  const add = (text: string) =>
    (here.cells[0] as ISharedCodeCell).updateOutputs(1, 1, [line(text)]);
  return { here, take, textsOf, load, add };
}

const settled = () => new Promise(resolve => setTimeout(resolve, 0));

it('what a running cell has written stays when the server takes in an older file', async () => {
  const { here, take, textsOf, load, add } = parts();
  const end = keepRunningOutputs(here, () => new Set(['runs']));
  add('new');
  const before = textsOf(here)[0];
  expect(before).toHaveLength(2);
  load('of the agent');
  take();
  await settled();
  expect(textsOf(here)).toEqual([before, ['of the agent']]);
  end();
});

it('nothing is put back for cells that do not run, nor after the end', async () => {
  const { here, take, textsOf, load } = parts();
  const end = keepRunningOutputs(here, () => new Set());
  load('first');
  take();
  await settled();
  expect(textsOf(here)).toEqual([['first'], ['first']]);
  end();
  keepRunningOutputs(here, () => new Set(['runs']))();
  load('second');
  take();
  await settled();
  expect(textsOf(here)).toEqual([['second'], ['second']]);
});
