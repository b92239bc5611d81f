import { RecentMap } from './recentMap';

describe('RecentMap', () => {
  it('forgets what nobody has asked for the longest', () => {
    const map = new RecentMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect(map.get('a')).toBe(1);
    map.set('c', 3);
    expect(map.get('b')).toBeUndefined();
    expect([map.get('a'), map.get('c')]).toEqual([1, 3]);
  });

  it('takes another value for a key, and gives one up', () => {
    const map = new RecentMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    map.set('c', 4);
    expect([map.get('a'), map.get('b')]).toEqual([3, undefined]);
    map.delete('a');
    expect(map.get('a')).toBeUndefined();
  });
});
