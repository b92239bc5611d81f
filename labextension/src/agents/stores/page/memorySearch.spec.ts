import { ApiError } from '../../../api/client';
import type { MemoryMatch, MemoryMatches } from '../../../api/types';
import { MemorySearch, partsOf, placeOfLine } from './memorySearch';

const match: MemoryMatch = {
  path: 'memory/learnings.md',
  line: 2,
  first_line: 1,
  last_line: 3,
  excerpt: '🍇 Plums are blue.',
  marks: [
    [2, 7],
    [12, 16]
  ],
  modified: 0,
  tainted: false
};
const found: MemoryMatches = { items: [match], left_out: 2 };

/** A server whose answers the test gives. */
function asked() {
  const requests: {
    q: string;
    answer: (of: MemoryMatches) => void;
    refuse: (why: Error) => void;
  }[] = [];
  const search = new MemorySearch(
    q => new Promise((answer, refuse) => requests.push({ q, answer, refuse }))
  );
  return { requests, search };
}

it('shows the matches of the last words, whatever the order of the answers is', async () => {
  const { requests, search } = asked();
  const [first, second] = [search.find('plums'), search.find('  plums blue ')];
  expect(requests.map(({ q }) => q)).toEqual(['plums', 'plums blue']);
  expect([search.q, search.matches]).toEqual(['plums blue', null]);
  requests[1].answer(found);
  await second;
  requests[0].answer({ items: [], left_out: 0 });
  await first;
  expect([search.matches, search.leftOut, search.problem]).toEqual([[match], 2, null]);
});

it('asks nothing without words, and forgets the answer to earlier ones', async () => {
  const { requests, search } = asked();
  const first = search.find('plums');
  await search.find(' ');
  requests[0].answer(found);
  await first;
  expect(requests).toHaveLength(1);
  expect([search.q, search.matches, search.problem]).toEqual(['', null, null]);
});

it('says why the server did not search, and keeps the matches when it searches again', async () => {
  const { requests, search } = asked();
  const first = search.find('plums');
  requests[0].refuse(new ApiError(503, 'unavailable', 'The index cannot be used.', {}));
  await first;
  expect([search.matches, search.problem]).toEqual([null, 'The index cannot be used.']);
  const again = search.repeat();
  requests[1].answer(found);
  await again;
  expect([search.matches, search.problem]).toEqual([[match], null]);
  const offline = search.repeat();
  requests[2].refuse(new TypeError('Failed to fetch'));
  await offline;
  expect([search.matches, search.problem]).toEqual([[match], null]);
});

it('divides an excerpt at its marks, which count characters', () => {
  expect(partsOf(match)).toEqual([
    { text: '🍇 ', isHit: false },
    { text: 'Plums', isHit: true },
    { text: ' are ', isHit: false },
    { text: 'blue', isHit: true },
    { text: '.', isHit: false }
  ]);
  expect(partsOf({ ...match, excerpt: 'plums', marks: [[0, 5]] })).toEqual([
    { text: 'plums', isHit: true }
  ]);
});

it.each([
  [1, 'one'],
  [2, ''],
  [3, 'three'],
  [4, ''],
  [99, '']
])('finds line %i of a text', (line, text) => {
  const file = 'one\n\nthree\n';
  expect(file.slice(...placeOfLine(file, line))).toBe(text);
  expect('one'.slice(...placeOfLine('one', line))).toBe('one');
});
