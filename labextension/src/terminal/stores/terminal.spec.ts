import type { ServerFrame } from '../../api/terminal';
import { FakeSocket, fakeServer, until } from '../../testing/fakes';
import { ACK_PAUSE_MS } from './acks';
import { answersQueries, refusal } from './rules';
import { NOTICE_PAUSE_MS, TerminalStore, type IScreen } from './terminal';

const ADA = { username: 'ada', display_name: 'Ada Lind' };
const BEN = { username: 'ben', display_name: 'Ben Okoye' };

/** A screen that shows what was written on request. */
class FakeScreen implements IScreen {
  size = { cols: 80, rows: 24 };
  text = '';
  private readonly _queue: (() => void)[] = [];

  reset(): void {
    this._queue.push(() => (this.text = ''));
  }

  write(bytes: Uint8Array, shown: () => void): void {
    this._queue.push(() => {
      this.text += new TextDecoder().decode(bytes);
      shown();
    });
  }

  showNext(): void {
    this._queue.shift()?.();
  }

  showAll(): void {
    while (this._queue.length) {
      this.showNext();
    }
  }
}

const hello = (change: Partial<ServerFrame & { type: 'hello' }> = {}): object => ({
  type: 'hello',
  grace_seconds: null,
  terminal: { id: 't', agent_title: 'Claude Code' },
  you: { ...ADA, can_execute: true, primary: true },
  controller: ADA,
  requests: [],
  agent_state: 'waiting',
  size: { cols: 80, rows: 24 },
  viewers: [ADA],
  offset: 0,
  ...change
});

const bytes = (text: string) => new TextEncoder().encode(text);
const replay = (from: number, until: number, reset = true, source = 'agent') => ({
  type: 'replay',
  source,
  from,
  until,
  reset
});

describe('TerminalStore', () => {
  let screen: FakeScreen;
  let store: TerminalStore;

  const connect = (change = {}) => {
    FakeSocket.last.open();
    FakeSocket.last.receive(hello(change));
  };
  const sentOf = (type: string) => FakeSocket.last.frames.filter(frame => frame.type === type);
  /** What was reported about drawing, some time later. */
  const acks = () => {
    jest.advanceTimersByTime(ACK_PAUSE_MS);
    return sentOf('ack').map(({ offset }) => offset);
  };
  const typed = () =>
    FakeSocket.last.sent
      .filter((data): data is Uint8Array => typeof data !== 'string')
      .map(data => new TextDecoder().decode(data));

  beforeEach(() => {
    jest.useFakeTimers();
    screen = new FakeScreen();
    store = new TerminalStore(fakeServer().client, 't', screen);
    store.open();
  });

  afterEach(() => {
    store.dispose();
    jest.useRealTimers();
  });

  it('attaches first, with its size', () => {
    FakeSocket.last.open();
    expect(FakeSocket.last.protocol).toBe('cabinet.terminal.v1');
    expect(FakeSocket.last.frames).toEqual([{ type: 'attach', cols: 80, rows: 24 }]);
  });

  it('acknowledges what is shown, not what has arrived', () => {
    connect();
    FakeSocket.last.receive(replay(100, 100));
    FakeSocket.last.receive(bytes('hello'));
    expect(acks()).toEqual([]);
    screen.showAll();
    expect(acks()).toEqual([105]);
  });

  it('paints what comes key by key before it tells that it was drawn, once for several', () => {
    connect();
    FakeSocket.last.receive(replay(0, 0));
    for (const key of 'abc') {
      FakeSocket.last.receive(bytes(key));
      screen.showAll();
    }
    expect(sentOf('ack')).toEqual([]);
    expect(acks()).toEqual([3]);
  });

  it('tells a new connection nothing of what the one before has drawn', () => {
    connect();
    FakeSocket.last.receive(replay(0, 0));
    FakeSocket.last.receive(bytes('abc'));
    screen.showAll();
    FakeSocket.last.drop();
    store.socket.retryNow();
    FakeSocket.last.open();
    expect(acks()).toEqual([]);
  });

  it('tells nothing of the stretch before, when another one begins', () => {
    connect();
    FakeSocket.last.receive(replay(0, 0));
    FakeSocket.last.receive(bytes('abc'));
    screen.showAll();
    FakeSocket.last.receive(replay(0, 50, true, 'shell'));
    expect(acks()).toEqual([]);
  });

  it('knows to the byte where the replay ends', () => {
    connect();
    FakeSocket.last.receive(replay(0, 4));
    FakeSocket.last.receive(bytes('pastlive'));
    expect(store.replaying).toBe(true);
    screen.showNext(); // the reset
    screen.showNext();
    expect(screen.text).toBe('past');
    expect(store.replaying).toBe(false);
    screen.showAll();
    expect(screen.text).toBe('pastlive');
  });

  it('asks after a break for what it has not received, and keeps its screen', () => {
    connect();
    FakeSocket.last.receive(replay(0, 0));
    FakeSocket.last.receive(bytes('abc'));
    screen.showAll();
    FakeSocket.last.drop();
    jest.advanceTimersByTime(1000);
    FakeSocket.last.open();
    expect(FakeSocket.last.frames[0]).toMatchObject({ since: 3, source: 'agent' });
    FakeSocket.last.receive(hello());
    FakeSocket.last.receive(replay(3, 3, false));
    FakeSocket.last.receive(bytes('def'));
    screen.showAll();
    expect(screen.text).toBe('abcdef');
  });

  it('clears the screen for a replay only after what came before it', () => {
    connect();
    FakeSocket.last.receive(replay(0, 0));
    FakeSocket.last.receive(bytes('old'));
    FakeSocket.last.receive(replay(0, 3, true, 'shell'));
    FakeSocket.last.receive(bytes('new'));
    screen.showAll();
    expect(screen.text).toBe('new');
    expect(acks()).toEqual([3]);
  });

  it('draws the modes that held before the bytes, and does not count them', () => {
    connect();
    FakeSocket.last.receive({ ...replay(100, 103), prelude: '<modes>' });
    FakeSocket.last.receive(bytes('abc'));
    screen.showAll();
    expect(screen.text).toBe('<modes>abc');
    expect(acks()).toEqual([103]);
  });

  it('tells every 32 KiB of a flood what is drawn, and at its end', () => {
    connect();
    FakeSocket.last.receive(replay(0, 0));
    const piece = new Uint8Array(20 << 10);
    for (let count = 0; count < 5; count++) {
      FakeSocket.last.receive(piece);
    }
    screen.showAll();
    expect(acks()).toEqual([40 << 10, 80 << 10, 100 << 10]);
  });

  it('does not ask again for a terminal that was made private', () => {
    connect();
    FakeSocket.last.drop(4404, 'Ada Lind made this terminal private.');
    expect([store.gone, store.closedBecause]).toEqual([
      'private',
      'Ada Lind made this terminal private.'
    ]);
    expect(store.socket.status).toBe('closed');
  });

  it('does not ask again for a terminal that was closed', () => {
    connect();
    FakeSocket.last.drop(1000, 'Closed by Ben Okoro.');
    expect([store.gone, store.closedBecause]).toEqual(['closed', 'Closed by Ben Okoro.']);
    jest.advanceTimersByTime(60_000);
    expect(FakeSocket.all).toHaveLength(1);
  });

  it('is not closed for who looks away from it', () => {
    connect();
    let told = 0;
    store.changed.connect(() => (told += 1));
    store.dispose();
    expect([store.gone, told]).toEqual([null, 0]);
  });

  it('knows how long control is kept while the connection is gone', () => {
    connect();
    FakeSocket.last.drop();
    const kept = store.keptForYouUntil!;
    expect(kept.getTime() - Date.now()).toBe(10_000);
    jest.advanceTimersByTime(700);
    FakeSocket.last.drop();
    expect(store.keptForYouUntil).toBe(kept); // from the first loss on
    jest.advanceTimersByTime(1000);
    connect();
    expect(store.keptForYouUntil).toBeNull();
  });

  it('keeps control for as long as the server has said', () => {
    connect({ controller: BEN });
    const away = { type: 'controller_away', controller: BEN };
    FakeSocket.last.receive({ ...away, grace_seconds: 60 });
    FakeSocket.last.receive({ type: 'control_taken', controller: ADA });
    FakeSocket.last.drop();
    expect(store.keptForYouUntil!.getTime() - Date.now()).toBe(60_000);
  });

  it('types for the controller', () => {
    connect();
    store.type('ü');
    expect(typed()).toEqual(['ü']);
  });

  it.each([
    ['agent_running', { agent_state: 'running' }],
    ['ending', { agent_state: 'ending' }],
    ['not_controller', { controller: BEN }],
    ['not_controller', { controller: null }],
    ['read_only', { you: { ...ADA, can_execute: false, primary: true } }]
  ])('types nothing when it would be refused: %s', (reason, change) => {
    const refused: string[] = [];
    store.refused.connect((_, why) => refused.push(why));
    connect(change);
    store.type('x');
    store.type('y');
    expect(typed()).toEqual([]);
    expect(refused).toEqual([reason]); // once per three seconds
    jest.advanceTimersByTime(NOTICE_PAUSE_MS);
    store.type('z');
    expect(refused).toHaveLength(2);
  });

  it('never sends later what was typed without a connection', () => {
    connect();
    FakeSocket.last.drop();
    store.type('x');
    jest.advanceTimersByTime(1000);
    connect();
    expect(typed()).toEqual([]);
  });

  it('follows control from hand to hand', () => {
    connect();
    FakeSocket.last.receive({ type: 'control_requested', by: BEN, requests: [BEN] });
    expect(store.state.requests).toEqual([BEN]);
    FakeSocket.last.receive({ type: 'control_granted', controller: BEN, requests: [] });
    expect(refusal(store.state)).toBe('not_controller');
    expect(answersQueries(store.state)).toBe(false);
    FakeSocket.last.receive({ type: 'control_revoked', by: BEN });
    expect(store.state.controller).toBeNull();
    FakeSocket.last.receive({ type: 'control_taken', controller: ADA });
    expect(refusal(store.state)).toBeNull();
    expect(answersQueries(store.state)).toBe(true);
  });

  it('passes over frames of a later version and malformed ones', () => {
    connect();
    FakeSocket.last.receive({ type: 'from_the_future' });
    FakeSocket.last.onmessage?.({ data: '{' });
    expect(store.connected).toBe(true);
  });

  it('says when the program has ended', () => {
    connect();
    FakeSocket.last.receive({ type: 'exited', code: 0, signal: null });
    expect(store.state.exited).toMatchObject({ code: 0 });
    expect(refusal(store.state)).toBe('exited');
  });
});

it('finds out that the terminal was made private while it was offline', async () => {
  jest.useRealTimers();
  const message = 'Ada Lind made this terminal private.';
  const error = { kind: 'not_found', message, detail: { reason: 'made_private' } };
  const server = fakeServer({ 'GET terminals/t': () => ({ status: 404, json: { error } }) });
  const store = new TerminalStore(server.client, 't', new FakeScreen());
  store.open();
  FakeSocket.last.open();
  FakeSocket.last.receive(hello());
  FakeSocket.last.drop();
  await until(() => FakeSocket.all.length > 1);
  FakeSocket.last.drop();
  await until(() => store.gone !== null);
  expect([store.gone, store.closedBecause]).toEqual(['private', message]);
  expect(store.socket.status).toBe('closed');
  store.dispose();
});

it('finds out that there is no such terminal', async () => {
  const server = fakeServer({
    'GET terminals/t': () => ({
      status: 404,
      json: { error: { kind: 'not_found', message: 'There is no such terminal.', detail: {} } }
    })
  });
  const store = new TerminalStore(server.client, 't', new FakeScreen());
  store.open();
  FakeSocket.last.drop();
  await until(() => store.gone !== null);
  expect(store.gone).toBe('unknown');
  expect(store.socket.status).toBe('closed');
  store.dispose();
});
