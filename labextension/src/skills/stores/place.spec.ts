import { LibraryPlace } from './place';

it('shows the skill that a command names, and stays where the person is without one', () => {
  const chosen: (string | null)[] = [];
  const place = new LibraryPlace({ choose: name => void chosen.push(name) });
  place.go('tools');
  place.follow({});
  place.follow({ skill: 7 });
  expect([place.part, chosen]).toEqual(['tools', []]);
  place.follow({ skill: 'greet' });
  expect([place.part, chosen]).toEqual(['skills', ['greet']]);
});
