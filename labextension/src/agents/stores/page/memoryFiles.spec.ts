import { memoryFiles } from './memoryFiles';

it('groups the files of a memory, with the newest day first', () => {
  const files = [
    'SOUL.md',
    'memory/2026-01-31.md',
    'memory/2026-02-01.md',
    'memory/2026-02-01.txt',
    'memory/archive/2026-01-01.md',
    'memory/context.md',
    'memory/notes/2026-02-02.md'
  ].map(path => ({ path, size: 1, modified: 0 }));
  const paths = Object.fromEntries(
    Object.entries(memoryFiles(files)).map(([name, group]) => [
      name,
      (group as typeof files).map(({ path }) => path)
    ])
  );
  expect(paths.days).toEqual(['memory/2026-02-01.md', 'memory/2026-01-31.md']);
  expect(paths.archived).toEqual(['memory/archive/2026-01-01.md']);
  expect(paths.current).toEqual([
    'memory/2026-02-01.txt',
    'memory/context.md',
    'memory/notes/2026-02-02.md'
  ]);
  expect(paths.all).toHaveLength(6);
});
