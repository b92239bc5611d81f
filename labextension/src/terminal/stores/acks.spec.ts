/** @jest-environment node */
import { ACK_BYTES, Acks } from './acks';

describe('Acks', () => {
  it('are due soon when everything is drawn, and not again', () => {
    const acks = new Acks();
    acks.start(100);
    expect(acks.due(100, 100)).toBeNull();
    expect(acks.due(105, 105)).toBe('soon');
    expect(acks.due(106, 106)).toBe('soon');
    acks.told(106);
    expect(acks.due(106, 106)).toBeNull();
  });

  it('are due at once every 32 KiB of a flood, and soon at its end', () => {
    const acks = new Acks();
    acks.start(0);
    const step = ACK_BYTES / 4;
    const total = ACK_BYTES * 2 + 1;
    const now: number[] = [];
    for (let drawn = step; drawn < total; drawn += step) {
      if (acks.due(drawn, total) === 'now') {
        now.push(drawn);
        acks.told(drawn);
      }
    }
    expect(now).toEqual([ACK_BYTES, ACK_BYTES * 2]);
    expect(acks.due(total, total)).toBe('soon');
  });
});
