import { Place } from './place';

it('shows the file that a command names, and the persona in every other case', () => {
  const place = new Place();
  place.follow({ tab: 'files', file: 'SOUL.md' });
  expect([place.tab, place.file]).toEqual(['files', 'SOUL.md']);
  place.go('history');
  expect(place.file).toBe('persona.md');
  place.follow({ tab: 'files', file: '../other' });
  expect([place.tab, place.file]).toEqual(['files', 'persona.md']);
});
