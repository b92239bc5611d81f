import { claimed, derived, initials } from './avatars';

describe('faces', () => {
  it.each([
    ['Ada Lind', 'AL'],
    ['ada', 'AD'],
    ['Ada Maria Lind', 'AL'],
    ['ben.okoro@site', 'BS'],
    ['Élodie', 'ÉL'],
    ['x', 'X'],
    ['\u202e\u200b', '?'],
    ['', '?']
  ])('%s is %s', (name, letters) => expect(initials(name)).toBe(letters));

  it('have the same colour for everybody who looks', () => {
    const ada = { username: 'ada', display_name: 'Ada' };
    expect(derived({ ...ada, display_name: 'Someone else' }).color).toBe(derived(ada).color);
    expect(derived(ada).color).toMatch(/^var\(--jp-collaborator-color[1-7]\)$/);
  });

  it('take what a person says of themselves where it can be drawn', () => {
    const ada = { username: 'ada', display_name: 'Ada Lind' };
    expect(claimed(ada, { initials: 'xy', color: '#123456' })).toEqual({
      initials: 'XY',
      color: '#123456'
    });
    expect(claimed(ada, { initials: '\u202e', color: 'url(//evil)' })).toEqual(derived(ada));
    expect(claimed(ada, { initials: 'A' })).toEqual(derived(ada));
    expect(claimed(ada, { initials: 3, color: null })).toEqual(derived(ada));
  });
});
