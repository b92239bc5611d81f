import { Channel, FIRST_PAUSE_MS, LONGEST_PAUSE_MS } from './channel';
import { FakeSocket } from '../testing/fakes';

describe('Channel', () => {
  let channel: Channel;

  beforeEach(() => {
    jest.useFakeTimers();
    FakeSocket.all = [];
    channel = new Channel({
      url: () => 'ws://host/x',
      socket: FakeSocket as unknown as typeof WebSocket,
      heartbeat: { everyMs: 10_000, frame: 'ping' },
      silenceLimitMs: 25_000
    });
    channel.open();
  });

  afterEach(() => {
    channel.dispose();
    jest.useRealTimers();
  });

  it('comes back after growing pauses, never longer than the longest', () => {
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      FakeSocket.last.drop();
      pauses.push(channel.retryAt! - Date.now());
      jest.advanceTimersByTime(LONGEST_PAUSE_MS);
    }
    expect(pauses.slice(0, 3)).toEqual([1, 2, 4].map(factor => factor * FIRST_PAUSE_MS));
    expect(Math.max(...pauses)).toBe(LONGEST_PAUSE_MS);
  });

  it('begins with the first pause again after it was connected', () => {
    FakeSocket.last.drop();
    jest.advanceTimersByTime(FIRST_PAUSE_MS);
    FakeSocket.last.open();
    FakeSocket.last.drop();
    expect(channel.retryAt! - Date.now()).toBe(FIRST_PAUSE_MS);
  });

  it('tries at once when asked, and only once', () => {
    FakeSocket.last.drop();
    channel.retryNow();
    jest.advanceTimersByTime(LONGEST_PAUSE_MS);
    expect(FakeSocket.all).toHaveLength(2);
  });

  it('sends nothing while it is not connected, also not later', () => {
    expect(channel.send('x')).toBe(false);
    FakeSocket.last.open();
    expect(FakeSocket.last.sent).toEqual([]);
    expect(channel.send('y')).toBe(true);
  });

  it('drops a connection that says nothing for too long', () => {
    FakeSocket.last.open();
    jest.advanceTimersByTime(20_000);
    expect(FakeSocket.last.sent).toEqual(['ping', 'ping']);
    jest.advanceTimersByTime(10_000);
    expect(channel.status).toBe('lost');
  });

  it('hears nothing more of a socket it has given up', () => {
    const old = FakeSocket.last;
    const close = old.onclose!;
    old.drop();
    channel.retryNow();
    FakeSocket.last.open();
    close.call(old);
    expect(old.onclose).toBeNull();
  });

  it('stays closed after dispose', () => {
    FakeSocket.last.open();
    channel.dispose();
    jest.advanceTimersByTime(60_000);
    channel.retryNow();
    expect(FakeSocket.all).toHaveLength(1);
    expect(channel.status).toBe('closed');
  });
});
