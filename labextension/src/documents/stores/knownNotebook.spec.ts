/** @jest-environment node */
import { KnownNotebook } from './knownNotebook';

type Cell = [id: string, source: string, outputs: string[], count?: number];

const notebook = (...cells: Cell[]) => ({
  cells: cells.map(([id, source, outputs, count]) => ({
    id,
    cell_type: 'code',
    source,
    outputs: outputs.map(text => ({ output_type: 'stream', name: 'stdout', text })),
    execution_count: count ?? null,
    metadata: {}
  })),
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5
});

const before = notebook(['a', 'ask', []], ['b', 'x = 1', ['old']]);

function known(content: unknown = before): KnownNotebook {
  const found = new KnownNotebook();
  found.restart(content);
  return found;
}

describe('a notebook whose kernel works', () => {
  it('is untouched until somebody changes a source', () => {
    expect(known().untouched(notebook(['a', 'ask', ['1']], ['b', 'x = 1', ['old']]))).toBe(true);
    expect(known().untouched(notebook(['a', 'ask!', []], ['b', 'x = 1', ['old']]))).toBe(false);
    expect(new KnownNotebook().untouched(before)).toBe(false);
  });

  it('is touched until what somebody changed has reached the file', () => {
    const changed = notebook(['a', 'ask!', []], ['b', 'x = 1', ['old']]);
    const found = known();
    found.saving(changed);
    expect(found.untouched(changed)).toBe(false);
    found.saved();
    expect(found.untouched(changed)).toBe(true);
  });
});

describe('what a kernel writes while an agent edits', () => {
  it('stays in its cells, beside what the agent has changed', () => {
    const ours = notebook(['a', 'ask', ['1', '2'], 4], ['b', 'x = 1', ['old']]);
    const theirs = notebook(['new', '# Hi', []], ['b', 'x = 2', []], ['a', 'ask', []]);
    expect(known().withOurResults(ours, theirs)).toEqual(
      notebook(['new', '# Hi', []], ['b', 'x = 2', []], ['a', 'ask', ['1', '2'], 4])
    );
  });

  it('keeps the number of a cell that has printed nothing', () => {
    const ours = notebook(['a', 'ask', [], 4], ['b', 'x = 1', ['old']]);
    expect(known().withOurResults(ours, before)).toEqual(ours);
  });

  it('stays where its save was begun and the agent wrote before it', () => {
    const ours = notebook(['a', 'ask', ['1'], 4], ['b', 'x = 1', ['old']]);
    const found = known();
    found.saving(ours);
    expect(found.withOurResults(ours, before)).toEqual(ours);
  });

  it('stays where the agent had read a save in between', () => {
    const [first, second] = [['1'], ['1', '2']].map(outputs =>
      notebook(['a', 'ask', outputs, 4], ['b', 'x = 1', ['old']])
    );
    const found = known();
    found.saving(first);
    found.saved();
    expect(found.withOurResults(second, first)).toEqual(second);
  });

  it('goes where the agent has written outputs and the kernel nothing since', () => {
    const ours = notebook(['a', 'ask', ['1'], 4], ['b', 'x = 1', ['old']]);
    const theirs = notebook(['a', 'ask', ['executed'], 1], ['b', 'x = 1', ['old']]);
    const found = known();
    found.saving(ours);
    expect(found.withOurResults(ours, theirs)).toEqual(theirs);
  });

  it('is asked about where both have written the outputs of one cell', () => {
    const ours = notebook(['a', 'ask', ['mine']], ['b', 'x = 1', ['old']]);
    const theirs = notebook(['a', 'ask', ['theirs']], ['b', 'x = 1', ['old']]);
    expect(known().withOurResults(ours, theirs)).toBeNull();
    expect(known().withOurResults(ours, ours)).toEqual(ours);
  });

  it('counts as theirs again once nobody can have read an older file', () => {
    const ours = notebook(['a', 'ask', ['1'], 4], ['b', 'x = 1', ['old']]);
    const found = known();
    found.restart(ours);
    expect(found.withOurResults(ours, before)).toEqual(before);
  });

  it('is no matter for what is no notebook', () => {
    expect(known().withOurResults('ours', 'theirs')).toBe('theirs');
  });
});
