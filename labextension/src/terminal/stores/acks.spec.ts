import { ACK_BYTES, Acks } from './acks';

describe('Acks', () => {
  it('are due whenever everything is drawn', () => {
    const acks = new Acks();
    acks.start(100);
    expect(acks.isDue(105, 105)).toBe(true);
    expect(acks.isDue(106, 106)).toBe(true);
  });

  it('are due every 32 KiB of a flood, and at its end', () => {
    const acks = new Acks();
    acks.start(0);
    const step = ACK_BYTES / 4;
    const total = ACK_BYTES * 2 + 1;
    const due: number[] = [];
    for (let drawn = step; drawn < total; drawn += step) {
      if (acks.isDue(drawn, total)) {
        due.push(drawn);
      }
    }
    expect(due).toEqual([ACK_BYTES, ACK_BYTES * 2]);
    expect(acks.isDue(total, total)).toBe(true);
  });
});
