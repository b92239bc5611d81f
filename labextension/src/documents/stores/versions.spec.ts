/** @jest-environment node */
import type { Contents } from '@jupyterlab/services';

import { cellsOf, isNewer, isWrittenLater, versionOf } from './versions';

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

describe('a file that was written later', () => {
  it('may have changed while it was saved, whatever its hash is', () => {
    const later = model({ hash: 'a', last_modified: '2026-11-21T11:00:00Z' });
    expect(isWrittenLater(later, model({ hash: 'a' }))).toBe(true);
    expect(isWrittenLater(model({}), later)).toBe(false);
    expect(isWrittenLater(later, null)).toBe(false);
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
