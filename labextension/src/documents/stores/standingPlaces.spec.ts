import type { IChangedPlace } from './changedPlaces';
import { placesStandingIn } from './standingPlaces';

function aPlace(fields: Partial<IChangedPlace>, ...lines: [number, string][]): IChangedPlace {
  const written = lines.map(([number, text]) => ({ number, text }));
  const first = lines[0]?.[0] ?? 1;
  return { cell: '', part: '0', before: null, after: null, lines: written, first, ...fields };
}

describe('placesStandingIn', () => {
  it('finds lines where the run has put them', () => {
    const isThere = placesStandingIn('a.md', 'one\ntwo\nthree');
    expect(isThere(aPlace({}, [2, 'two'], [3, 'three']))).toBe(true);
    expect(isThere(aPlace({}, [2, 'edited']))).toBe(false);
    expect(isThere(aPlace({}, [3, 'two']))).toBe(false);
    expect(isThere(aPlace({ first: 2, before: 'one', after: 'two' }))).toBe(true);
  });

  it('finds cells by their ids, and the lines in them', () => {
    const cells = [{ id: 'a', source: 'x = 1' }, { id: 'b', source: ['y = 1\n', 'z = 2'] }, {}];
    const isThere = placesStandingIn('a.ipynb', JSON.stringify({ cells }));
    expect(isThere(aPlace({ cell: 'a' }, [1, 'x = 1']))).toBe(true);
    expect(isThere(aPlace({ cell: 'b' }, [2, 'z = 2']))).toBe(true);
    expect(isThere(aPlace({ cell: 'b' }, [2, 'x = 1']))).toBe(false);
    expect(isThere(aPlace({ cell: 'gone' }))).toBe(false);
    expect(isThere(aPlace({ cell: 'a', isDeleted: true }))).toBe(true);
    expect(isThere(aPlace({ cell: '#3' }))).toBe(true);
  });
});
