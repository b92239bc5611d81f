/** @jest-environment node */
import { lazily, onceLoaded } from './lazy';

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

describe('a panel that is opened while the server is away', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('fills itself when its code can be loaded', async () => {
    const away = Object.assign(new Error('Loading chunk agents failed.'), {
      name: 'ChunkLoadError'
    });
    const make = jest
      .fn()
      .mockRejectedValueOnce(away)
      .mockRejectedValueOnce(away)
      .mockResolvedValue('filled');
    const filled = onceLoaded(make);
    await jest.advanceTimersByTimeAsync(10_000);
    await expect(filled).resolves.toBe('filled');
    expect(make).toHaveBeenCalledTimes(3);
  });

  it('says what else went wrong, and tries it once', async () => {
    const make = jest.fn().mockRejectedValue(new TypeError('a mistake of ours'));
    await expect(onceLoaded(make)).rejects.toThrow('a mistake of ours');
    expect(make).toHaveBeenCalledTimes(1);
  });
});
