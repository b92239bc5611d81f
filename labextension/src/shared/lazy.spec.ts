/** @jest-environment node */
import { lazily } from './lazy';

describe('lazily', () => {
  it('makes one value, however many ask for it at once', async () => {
    let count = 0;
    const give = lazily(async () => ({ count: ++count }));
    const [first, second] = await Promise.all([give(), give()]);
    expect(first).toBe(second);
    expect(await give()).toEqual({ count: 1 });
  });

  it('makes nothing before somebody asks', () => {
    const make = jest.fn(async () => 1);
    lazily(make);
    expect(make).not.toHaveBeenCalled();
  });

  it('tries again after a failure, as when the network was gone while a chunk was loaded', async () => {
    let isThere = false;
    const give = lazily(async () => {
      if (!isThere) {
        throw new Error('Loading chunk failed');
      }
      return 'value';
    });
    await expect(give()).rejects.toThrow('Loading chunk failed');
    isThere = true;
    expect(await give()).toBe('value');
  });
});
