import { ReconnectingSocket, FIRST_PAUSE_MS, LONGEST_PAUSE_MS } from './reconnectingSocket';
import { FakeSocket } from '../testing/fakes';

describe('ReconnectingSocket', () => {
  let socket: ReconnectingSocket;

  beforeEach(() => {
    jest.useFakeTimers();
    FakeSocket.all = [];
    socket = new ReconnectingSocket({
      url: () => 'ws://host/x',
      socket: FakeSocket as unknown as typeof WebSocket,
      heartbeat: { everyMs: 10_000, frame: 'ping' },
      silenceLimitMs: 25_000
    });
    socket.open();
  });

  afterEach(() => {
    socket.dispose();
    jest.useRealTimers();
  });

  it('comes back after growing pauses, never longer than the longest', () => {
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      FakeSocket.last.drop();
      pauses.push(socket.retryAt! - Date.now());
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
    expect(socket.retryAt! - Date.now()).toBe(FIRST_PAUSE_MS);
  });

  it('tries at once when asked, and only once', () => {
    FakeSocket.last.drop();
    socket.retryNow();
    jest.advanceTimersByTime(LONGEST_PAUSE_MS);
    expect(FakeSocket.all).toHaveLength(2);
  });

  it('sends nothing while it is not connected, also not later', () => {
    expect(socket.send('x')).toBe(false);
    FakeSocket.last.open();
    expect(FakeSocket.last.sent).toEqual([]);
    expect(socket.send('y')).toBe(true);
  });

  it('drops a connection that says nothing for too long', () => {
    FakeSocket.last.open();
    jest.advanceTimersByTime(20_000);
    expect(FakeSocket.last.sent).toEqual(['ping', 'ping']);
    jest.advanceTimersByTime(10_000);
    expect(socket.status).toBe('lost');
  });

  it('keeps the connection of a hidden tab whose heartbeats come seldom', () => {
    FakeSocket.last.open();
    for (let minute = 0; minute < 3; minute++) {
      jest.setSystemTime(Date.now() + 60_000);
      jest.advanceTimersByTime(10_000);
      FakeSocket.last.receive({ type: 'pong' });
    }
    expect(socket.status).toBe('open');
  });

  it('follows the browser when the network goes and comes', () => {
    FakeSocket.last.open();
    window.dispatchEvent(new Event('offline'));
    expect(socket.status).toBe('lost');
    window.dispatchEvent(new Event('online'));
    expect(socket.status).toBe('connecting');
  });

  it('does not come back when the other side said that it was all', () => {
    const ended = new ReconnectingSocket({
      url: () => 'ws://host/y',
      socket: FakeSocket as unknown as typeof WebSocket,
      isFinal: code => code === 1000
    });
    ended.open();
    FakeSocket.last.open();
    FakeSocket.last.drop(1000);
    expect(ended.status).toBe('closed');
  });

  it('hears nothing more of a socket it has given up', () => {
    const old = FakeSocket.last;
    const close = old.onclose!;
    old.drop();
    socket.retryNow();
    FakeSocket.last.open();
    close.call(old, { code: 1006, reason: '' });
    expect(old.onclose).toBeNull();
  });

  it('stays closed after dispose', () => {
    FakeSocket.last.open();
    socket.dispose();
    jest.advanceTimersByTime(60_000);
    socket.retryNow();
    expect(FakeSocket.all).toHaveLength(1);
    expect(socket.status).toBe('closed');
  });
});
