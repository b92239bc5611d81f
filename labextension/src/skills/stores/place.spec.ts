import { LibraryPlace } from './place';

it('shows the skill or tool server that a command names, and stays where the person is without one', () => {
  const chosen: (string | null)[] = [];
  const list = { choose: (name: string | null) => void chosen.push(name) };
  const place = new LibraryPlace(list, list);
  place.go('tools');
  place.follow({});
  place.follow({ skill: 7 });
  expect([place.part, chosen]).toEqual(['tools', []]);
  place.follow({ skill: 'greet' });
  expect([place.part, chosen]).toEqual(['skills', ['greet']]);
  place.follow({ toolServer: 'toy' });
  expect([place.part, chosen]).toEqual(['tools', ['greet', 'toy']]);
});
