import type { FileDiff } from '../../api/types';
import { aRun } from '../../testing/samples';
import { ShownChanges } from './shownChanges';

type Part = FileDiff['parts'][number];

const PATH = 'a.md';
const RUN = aRun({ id: 'run-1', path: PATH });

/** Each number is a line that was added, in a separate part. */
function aDiff(...numbers: number[]): FileDiff {
  const parts = numbers.map((number): Part => ({
    decision: null,
    deleted_after: null,
    id: String(number),
    lines: [{ sign: '+', text: `line ${number}` }],
    new_start: number,
    old_start: 1,
    other_lines: [],
    title: ''
  }));
  return { path: PATH, old_path: null, kind: 'changed', language: '', note: '', parts };
}

function reverted(diff: FileDiff, ...ids: string[]): FileDiff {
  const decision = { decision: 'reverted', by: 'Ada', at: '' } as Part['decision'];
  const parts = diff.parts.map(part => (ids.includes(part.id) ? { ...part, decision } : part));
  return { ...diff, parts };
}

function firsts(store: ShownChanges): number[] {
  return store.of(PATH)?.places.map(({ first }) => first) ?? [];
}

function accepted(diff: FileDiff, id: string): FileDiff {
  const decision = { decision: 'accepted', by: 'Ada', at: '' } as Part['decision'];
  return {
    ...diff,
    parts: diff.parts.map(part => (part.id === id ? { ...part, decision } : part))
  };
}

describe('ShownChanges', () => {
  let store: ShownChanges;

  beforeEach(() => {
    store = new ShownChanges();
  });

  describe('a document that is opened', () => {
    it('shows what is still there and not decided about, and does not scroll', () => {
      const diff = accepted(reverted(aDiff(1, 2, 3, 4), '1'), '2');
      store.opened(RUN, diff, ({ first }) => first !== 4);
      expect(firsts(store)).toEqual([3]);
      expect(store.of(PATH)!.mayScroll).toBe(false);
      store.decided(PATH, RUN, reverted(diff, '3'));
      expect(firsts(store)).toEqual([]); // nor does a decision bring back the others
    });

    it('keeps the changes that it shows already', () => {
      store.ended(aRun({ id: 'run-2', path: PATH }), [aDiff(7)]);
      store.opened(RUN, aDiff(1), () => true);
      expect(firsts(store)).toEqual([7]);
    });

    it('shows nothing of a run about which everything is decided', () => {
      store.opened(RUN, accepted(aDiff(1), '1'), () => true);
      expect(store.of(PATH)).toBeNull();
    });
  });

  it('may scroll to what a run asks for until a person touches the document', () => {
    store.began(RUN);
    expect(store.mayScrollFor(PATH, RUN.id)).toBe(true);
    store.touched(PATH);
    expect(store.mayScrollFor(PATH, RUN.id)).toBe(false);
    expect(store.mayScrollFor('other.md', RUN.id)).toBe(true);
    expect(store.mayScrollFor(PATH, 'a run that is not known')).toBe(false);
  });

  describe('scrolling', () => {
    it('is allowed in a document that nobody has touched', () => {
      store.began(RUN);
      store.ended(RUN, [aDiff(3)]);
      expect(store.of(PATH)!.mayScroll).toBe(true);
    });

    it('is not allowed once a person has worked in the document since the run began', () => {
      store.began(RUN);
      store.touched(PATH);
      store.ended(RUN, [aDiff(3)]);
      expect(store.of(PATH)!.mayScroll).toBe(false);
      expect(firsts(store)).toEqual([3]);
    });

    it('counts what happened in this document since this run began', () => {
      store.touched(PATH);
      store.began(RUN);
      store.touched('b.md');
      store.ended(RUN, [aDiff(3)]);
      expect(store.of(PATH)!.mayScroll).toBe(true);
    });

    it('is no longer allowed when a person works there before the change is visible', () => {
      store.began(RUN);
      store.ended(RUN, [aDiff(3)]);
      store.touched(PATH);
      expect(store.of(PATH)!.mayScroll).toBe(false);
    });

    it('is not allowed after a run that was not seen working', () => {
      store.ended(RUN, [aDiff(3)]);
      expect(store.of(PATH)!.mayScroll).toBe(false);
    });

    it('needs to hear of actions only while a run works or a document may scroll', () => {
      expect(store.isWatching).toBe(false);
      store.began(RUN);
      expect(store.isWatching).toBe(true);
      store.ended(RUN, [aDiff(3)]);
      expect(store.isWatching).toBe(true);
      store.touched(PATH);
      expect(store.isWatching).toBe(false);
    });
  });

  describe('going from change to change', () => {
    beforeEach(() => {
      store.began(RUN);
      store.ended(RUN, [aDiff(3, 10, 20)]);
    });

    it('begins at the first or the last one and goes round', () => {
      const next = () => store.go(PATH, 1)!.first;
      expect([next(), next(), next(), next()]).toEqual([3, 10, 20, 3]);
      expect(store.go(PATH, -1)!.first).toBe(20);
    });

    it('goes to the last one first when going back', () => {
      expect(store.go(PATH, -1)!.first).toBe(20);
    });

    it('continues where the document has scrolled to', () => {
      store.scrolled(PATH, store.of(PATH)!.places[0]);
      expect(store.go(PATH, 1)!.first).toBe(10);
    });

    it('ends the scrolling: a view that becomes visible stays with the change that a person went to', () => {
      store.scrolled(PATH, store.of(PATH)!.places[0]);
      expect(store.of(PATH)!.mayScroll).toBe(true);
      store.go(PATH, 1);
      expect(store.of(PATH)!.mayScroll).toBe(false);
    });

    it('leaves out what is not there', () => {
      const isThere = ({ first }: { first: number }) => first !== 3;
      expect(store.go(PATH, 1, isThere)!.first).toBe(10);
      expect(store.go(PATH, 1, () => false)).toBeNull();
      expect(store.go('b.md', 1)).toBeNull();
    });
  });

  describe('marks', () => {
    beforeEach(() => {
      store.began(RUN);
      store.ended(RUN, [aDiff(3, 10)]);
    });

    it('go one by one when a person edits near them', () => {
      const [first, second] = store.of(PATH)!.places;
      store.edited(PATH, first);
      expect(firsts(store)).toEqual([10]);
      store.edited(PATH, second);
      expect(store.of(PATH)).toBeNull();
    });

    it('go when they are dismissed', () => {
      store.dismiss(PATH);
      expect(store.of(PATH)).toBeNull();
    });

    it('go when the next run begins in the document', () => {
      const next = aRun({ id: 'run-2', path: PATH });
      store.began(next);
      expect(store.of(PATH)).toBeNull();
      store.ended(next, []);
      expect(store.of(PATH)).toBeNull();
    });

    it('are those of the last run that changed the document', () => {
      const other = aRun({ id: 'run-2', path: 'b.md' });
      store.began(other);
      expect(firsts(store)).toEqual([3, 10]);
      store.ended(other, [aDiff(5)]);
      expect(firsts(store)).toEqual([5]);
    });

    it('go with a change that was reverted and come back with it, unless a person has edited it', () => {
      store.decided(PATH, RUN, reverted(aDiff(3, 10), '3'));
      expect(firsts(store)).toEqual([10]);
      store.decided(PATH, RUN, aDiff(3, 10));
      expect(firsts(store)).toEqual([3, 10]);
      store.edited(PATH, store.of(PATH)!.places[0]);
      store.decided(PATH, RUN, aDiff(3, 10));
      expect(firsts(store)).toEqual([10]);
    });
  });

  it('keeps its changes, decisions about them and touches when a document is renamed', () => {
    store.began(RUN);
    store.touched(PATH);
    store.renamed(PATH, 'b.md');
    expect(store.mayScrollFor('b.md', RUN.id)).toBe(false);
    store.renamed('b.md', PATH);
    store.ended(RUN, [aDiff(1, 2, 3)]);
    store.renamed(PATH, 'b.md');
    expect(store.of(PATH)).toBeNull();
    const [first] = store.of('b.md')!.places;
    store.edited('b.md', first);
    store.decided('b.md', RUN, reverted(aDiff(1, 2, 3), '2'));
    expect(store.of('b.md')!.places.map(place => place.first)).toEqual([3]);
    expect(store.of('b.md')!.file).toBe(PATH);
  });
});
