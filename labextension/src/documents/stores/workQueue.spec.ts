import { WorkQueue } from './workQueue';

/** Work that ends when `end` is called. */
function held(log: string[], name: string): { end: () => void; work: () => Promise<void> } {
  let end = () => {};
  const over = new Promise<void>(resolve => (end = resolve));
  const work = async () => {
    log.push(`${name} begins`);
    await over;
    log.push(`${name} ends`);
  };
  return { end, work };
}

it('does one thing after the other, also after one that failed', async () => {
  const [queue, log] = [new WorkQueue<'check'>(), [] as string[]];
  const first = held(log, 'first');
  const done = queue.add(first.work);
  const failed = queue.add(() => Promise.reject(new Error('no')));
  const last = queue.add(async () => {
    log.push('last');
    return 3;
  });
  await Promise.resolve();
  expect(log).toEqual(['first begins']);
  first.end();
  await done;
  await expect(failed).rejects.toThrow('no');
  expect(await last).toBe(3);
  expect(log).toEqual(['first begins', 'first ends', 'last']);
});

it('does not wait twice for the same work, but does it again when it is already being done', async () => {
  const [queue, log] = [new WorkQueue<'check'>(), [] as string[]];
  const [busy, check] = [held(log, 'busy'), held(log, 'check')];
  void queue.add(busy.work);
  const waiting = queue.addOnce('check', check.work);
  expect(queue.addOnce('check', check.work)).toBe(waiting);
  busy.end();
  while (!log.includes('check begins')) {
    await Promise.resolve();
  }
  const again = queue.addOnce('check', async () => void log.push('again'));
  check.end();
  await again;
  expect(log.slice(2)).toEqual(['check begins', 'check ends', 'again']);
});
