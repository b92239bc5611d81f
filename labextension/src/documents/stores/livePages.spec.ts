import { LivePages } from './livePages';

/** Locks of one browser. Each ends with its holder. */
function fakeLocks() {
  const held: { name: string }[] = [];
  const locks = {
    request: (name: string) => {
      held.push({ name });
      return new Promise(() => undefined);
    },
    query: () => Promise.resolve({ held })
  } as unknown as LockManager;
  return { held, locks };
}

describe('LivePages', () => {
  it('name the open pages, and no longer a page that has crashed', async () => {
    const { held, locks } = fakeLocks();
    const one = new LivePages(locks);
    const other = new LivePages(locks);
    expect(await other.open()).toEqual(new Set([one.own, other.own]));
    held.shift();
    expect(await other.open()).toEqual(new Set([other.own]));
  });

  it('have no names where the browser has no locks', async () => {
    const page = new LivePages(undefined);
    expect(page.own).toBe('');
    expect(await page.open()).toEqual(new Set());
  });
});
