/** @jest-environment node */
import { ShownApprovals } from './shownApprovals';

describe('ShownApprovals', () => {
  it('has what is on the screen in at least one place', () => {
    const shown = new ShownApprovals();
    shown.set('a', true);
    shown.set('a', true);
    shown.set('a', false);
    expect([shown.has('a'), shown.has('b')]).toEqual([true, false]);
    shown.set('a', false);
    expect(shown.has('a')).toBe(false);
  });

  it('has all of them while the panel of all is on the screen', () => {
    const shown = new ShownApprovals();
    shown.set(null, true);
    expect(shown.has('whatever')).toBe(true);
    shown.set(null, false);
    expect(shown.has('whatever')).toBe(false);
  });
});
