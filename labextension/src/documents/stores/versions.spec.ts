/** @jest-environment node */
import type { Contents } from '@jupyterlab/services';

import type * as nbformat from '@jupyterlab/nbformat';

import { cellsOf, isNewer, sameButOutputs, versionOf, withOurOutputs } from './versions';

const model = (change: Partial<Contents.IModel>) =>
  ({ last_modified: '2026-11-21T10:00:00Z', ...change }) as Contents.IModel;

describe('the version of a file', () => {
  it('is its hash, else when it was written', () => {
    expect(versionOf(model({ hash: 'h' }))).toBe('h');
    expect(versionOf(model({}))).toBe('2026-11-21T10:00:00Z');
  });

  it('is newer where the hash is another one, whenever it was written', () => {
    const later = '2026-11-21T11:00:00Z';
    expect(isNewer(model({ hash: 'b' }), model({ hash: 'a' }))).toBe(true);
    expect(isNewer(model({ hash: 'a', last_modified: later }), model({ hash: 'a' }))).toBe(false);
  });

  it('is newer where it was written later, if one hash is not known', () => {
    const later = '2026-11-21T11:00:00Z';
    expect(isNewer(model({ hash: 'b', last_modified: later }), model({}))).toBe(true);
    expect(isNewer(model({}), model({ last_modified: later }))).toBe(false);
    expect(isNewer(model({}), null)).toBe(false);
  });
});

describe('the cells of a notebook', () => {
  const cell = (source: string | string[]) => ({
    cells: [{ cell_type: 'code', source, outputs: [], execution_count: 3 }]
  });

  it('are the same however their source is written, and whoever ran them when', () => {
    expect(cellsOf(cell(['a\n', 'b']))).toEqual(
      cellsOf({ cells: [{ ...cell('a\nb').cells[0], execution_count: 9 }] })
    );
  });

  it('are none where there is no notebook', () => {
    expect([cellsOf('text'), cellsOf(null), cellsOf({})]).toEqual([null, null, null]);
  });
});

describe('outputs that a kernel writes while an agent edits', () => {
  const output = (text: string) => ({ output_type: 'stream', name: 'stdout', text });
  const notebook = (...cells: [string, string, string[]][]) =>
    ({
      cells: cells.map(([id, source, outputs]) => ({
        id,
        cell_type: 'code',
        source,
        outputs: outputs.map(output),
        execution_count: null,
        metadata: {}
      })),
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5
    }) as unknown as nbformat.INotebookContent;
  const before = notebook(['a', 'ask', []], ['b', 'x = 1', ['old']]);

  it('are no work of a person', () => {
    expect(sameButOutputs(before, notebook(['a', 'ask', ['1']], ['b', 'x = 1', ['old']]))).toBe(
      true
    );
    expect(sameButOutputs(before, notebook(['a', 'ask!', []], ['b', 'x = 1', ['old']]))).toBe(
      false
    );
    expect(sameButOutputs(null, before)).toBe(false);
  });

  it('stay in their cells, beside what the agent has changed', () => {
    const ours = notebook(['a', 'ask', ['1', '2']], ['b', 'x = 1', ['old']]);
    const theirs = notebook(['new', '# Hi', []], ['b', 'x = 2', []], ['a', 'ask', []]);
    expect(withOurOutputs(before, ours, theirs)).toEqual(
      notebook(['new', '# Hi', []], ['b', 'x = 2', []], ['a', 'ask', ['1', '2']])
    );
  });

  it('are asked about where both have written those of one cell', () => {
    const ours = notebook(['a', 'ask', ['mine']], ['b', 'x = 1', ['old']]);
    const theirs = notebook(['a', 'ask', ['theirs']], ['b', 'x = 1', ['old']]);
    expect(withOurOutputs(before, ours, theirs)).toBeNull();
    expect(withOurOutputs(before, ours, ours)).toEqual(ours);
  });
});
