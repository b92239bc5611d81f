/** @jest-environment node */
import { movedKeys, movedPath } from './paths';

describe('a path after a rename', () => {
  it.each([
    ['a.md', 'a.md', 'b.md', 'b.md'],
    ['data/a.md', 'data', 'old/data', 'old/data/a.md'],
    ['data/deep/a.md', 'data', 'x', 'x/deep/a.md'],
    ['database/a.md', 'data', 'x', 'database/a.md'],
    ['a.md.bak', 'a.md', 'b.md', 'a.md.bak'],
    ['c.md', 'a.md', 'b.md', 'c.md']
  ])('%s, when %s becomes %s, is %s', (path, old, next, moved) =>
    expect(movedPath(path, old, next)).toBe(moved)
  );

  it('moves the keys of a map, in their order', () => {
    const map = new Map([
      ['data/a', 1],
      ['b', 2]
    ]);
    expect([...movedKeys(map, 'data', 'x')]).toEqual([
      ['x/a', 1],
      ['b', 2]
    ]);
  });
});
