import { fakeEvents, fakeServer, FakeSocket } from '../testing/fakes';

function open(isOpen = true) {
  const stream = fakeEvents(fakeServer().client, isOpen);
  const happened: string[] = [];
  stream.events.happened.connect((_, { type }) => happened.push(type));
  return { ...stream, happened };
}

const since = (socket: FakeSocket) => new URL(socket.url).searchParams.get('since');

describe('EventStream', () => {
  it('begins where the server is, and continues after a break where it stopped', () => {
    const { socket, happen, reconnect, happened } = open();
    expect(since(socket())).toBeNull();
    socket().receive({ type: 'hello', seq: 0 });
    happen({ type: 'run_queued' });
    happen({ type: 'run_started' });
    reconnect();
    expect(since(socket())).toBe('2');
    expect(happened).toEqual(['run_queued', 'run_started']);
  });

  it('is not moved by the greeting of a later connection', () => {
    const { socket, happen, reconnect } = open();
    happen({ type: 'run_queued' });
    reconnect();
    socket().receive({ type: 'hello', seq: 40 });
    reconnect();
    expect(since(socket())).toBe('1');
  });

  it('continues from where the server says if the missed events are gone', () => {
    const { socket, reconnect } = open();
    socket().receive({ type: 'reset', seq: 90 });
    reconnect();
    expect(since(socket())).toBe('90');
  });

  it('has all read that may have been missed: at each connection and at each hole', () => {
    const { events, socket, reconnect } = open(false);
    const read = jest.fn();
    events.onMissed(read);
    expect(read).toHaveBeenCalledTimes(0);
    socket().open();
    expect(read).toHaveBeenCalledTimes(1);
    reconnect();
    expect(read).toHaveBeenCalledTimes(2);
    socket().receive({ type: 'reset', seq: 9 });
    expect(read).toHaveBeenCalledTimes(3);
  });

  it('has it read at once by who comes later, and no more by who is done', () => {
    const { events, reconnect } = open();
    const read = jest.fn();
    const stop = events.onMissed(read);
    expect(read).toHaveBeenCalledTimes(1);
    stop();
    reconnect();
    expect(read).toHaveBeenCalledTimes(1);
  });
});
