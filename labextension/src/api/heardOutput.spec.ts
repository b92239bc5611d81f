import { HeardOutput } from './heardOutput';
import type { OutputFrame } from './types';

type Said = Extract<OutputFrame, { type: 'output' }>;

const kept = (index: number): Said => ({
  type: 'output',
  index,
  at: index,
  event: { type: 'TextBlock', text: `block ${index}` }
});
const piece = (index: number, at: number): Said => ({
  type: 'output',
  index,
  at,
  event: { type: 'TextDelta', text: `piece ${at}` }
});

/** Which of the frames are new. */
function news(heard: HeardOutput, ...frames: Said[]): boolean[] {
  return frames.map(frame => heard.isNew(frame));
}

describe('what was heard of a run', () => {
  it('takes all pieces of a text, which have one number, and the whole text after them', () => {
    const heard = new HeardOutput();
    heard.connected();
    expect(
      news(heard, kept(0), piece(1, 1.1), piece(1, 1.2), piece(1, 1.2), kept(1), piece(2, 3))
    ).toEqual([true, true, true, true, true, true]);
    expect(heard.since).toBe(2);
  });

  it('takes nothing twice that comes again over a new connection', () => {
    const heard = new HeardOutput();
    heard.connected();
    news(heard, kept(0), piece(1, 1.1), piece(1, 1.2), piece(1, 1.2));
    heard.connected();
    expect(heard.since).toBe(1);
    expect(
      news(
        heard,
        piece(1, 1.1),
        piece(1, 1.2),
        piece(1, 1.2),
        piece(1, 1.2),
        piece(1, 1.3),
        kept(1)
      )
    ).toEqual([false, false, false, true, true, true]);
    heard.connected();
    expect(news(heard, kept(1), kept(2))).toEqual([false, true]);
  });

  it('takes what is new where the server has let go of the pieces that came before', () => {
    const heard = new HeardOutput();
    heard.connected();
    news(heard, piece(0, 1), piece(0, 2));
    heard.connected();
    expect(news(heard, piece(0, 3), piece(0, 3))).toEqual([true, true]);
  });
});
