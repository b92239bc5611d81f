import { FakeSocket, fakeEvents, fakeServer, refusal, until } from '../testing/fakes';
import { ConnectionStore } from './connection';

const HEALTH = { you: { username: 'ada', may_run: true }, allow_bypass: false };

function open(answers: Parameters<typeof fakeServer>[0] = { 'GET health': HEALTH }) {
  const server = fakeServer(answers);
  const stream = fakeEvents(server.client, false);
  const connection = new ConnectionStore(server.client, stream.events.socket);
  return { server, connection, ...stream };
}

describe('ConnectionStore', () => {
  it('is connecting until the server answers, and knows then who we are', async () => {
    const { connection, socket } = open();
    expect([connection.status, connection.username, connection.mayRun]).toEqual([
      'connecting',
      null,
      false
    ]);
    socket().open();
    expect(connection.online).toBe(true);
    await until(() => connection.health !== null);
    expect([connection.username, connection.mayRun]).toEqual(['ada', true]);
  });

  it('remembers since when what is shown is old, through all attempts', () => {
    const { connection, socket, events } = open();
    socket().open();
    socket().drop();
    const since = connection.lastSeen;
    expect(connection.status).toBe('offline');
    expect(since).not.toBeNull();
    events.socket.retryNow();
    socket().drop();
    expect(connection.lastSeen).toBe(since);
    events.socket.retryNow();
    socket().open();
    expect([connection.status, connection.lastSeen]).toEqual(['online', null]);
  });

  it('knows who we are while the server is gone', async () => {
    const { connection, socket } = open();
    socket().open();
    await until(() => connection.health !== null);
    socket().drop();
    expect(connection.username).toBe('ada');
  });

  it('asks again at each connection: the login may be another one', async () => {
    const { connection, server, socket, reconnect } = open();
    socket().open();
    await until(() => connection.username === 'ada');
    server.answers['GET health'] = { ...HEALTH, you: { username: 'ben', may_run: false } };
    reconnect();
    await until(() => connection.username === 'ben');
    expect(connection.mayRun).toBe(false);
  });

  it('tells why the server refuses us, until it does no longer', async () => {
    const { connection, server } = open({ 'GET health': refusal(403, 'not_allowed', 'No.') });
    await connection.load();
    expect(connection.problem).toBe('No.');
    server.answers['GET health'] = HEALTH;
    await connection.load();
    expect(connection.problem).toBeNull();
  });

  it('tells why Cabinet is not available, at each attempt to connect, until nobody answers', async () => {
    const { connection, server, socket, events } = open({
      'GET health': refusal(503, 'unavailable', 'The database /a/cabinet.db could not be opened.')
    });
    socket().drop();
    await until(() => connection.problem !== null);
    expect(connection.problem).toBe('The database /a/cabinet.db could not be opened.');
    expect(connection.status).toBe('offline');
    delete server.answers['GET health'];
    events.socket.retryNow();
    socket().drop();
    await until(() => connection.problem === null);
    server.answers['GET health'] = HEALTH;
    events.socket.retryNow();
    socket().open();
    await until(() => connection.health !== null);
    expect([connection.status, connection.problem]).toEqual(['online', null]);
  });

  it('notices at any request that the login is gone, and again at any that it is back', async () => {
    const { connection, server, socket } = open();
    socket().open();
    await until(() => connection.health !== null);
    server.answers['GET runs'] = refusal(401, 'not_logged_in', 'Log in first.');
    await expect(server.client.runs()).rejects.toThrow('Log in first.');
    expect([connection.isLoggedOut, connection.online]).toEqual([true, false]); // though the socket is open
    connection.retryNow();
    await until(() => connection.online);
    expect([connection.isLoggedOut, connection.lastSeen]).toEqual([false, null]);
  });

  it('asks whether the login is gone where a request is refused that changes something', async () => {
    const { connection, server, socket } = open();
    socket().open();
    await until(() => connection.health !== null);
    server.answers['POST runs/r1/cancel'] = refusal(403, 'not_allowed', 'No.');
    await expect(server.client.cancel('r1')).rejects.toThrow('No.');
    await until(() => server.requests.filter(({ line }) => line === 'GET health').length === 2);
    expect(connection.isLoggedOut).toBe(false);
    server.answers['GET health'] = refusal(401, 'not_logged_in', 'Log in first.');
    await expect(server.client.cancel('r1')).rejects.toThrow('No.');
    await until(() => connection.isLoggedOut);
  });

  it('makes no attempt by itself while it is logged out, and connects once there is a login again', async () => {
    const { connection, server, socket, events } = open({
      'GET health': refusal(401, 'not_logged_in', 'Log in first.')
    });
    const refused = socket();
    refused.drop();
    await until(() => connection.isLoggedOut);
    jest.useFakeTimers();
    events.socket.retryNow();
    const count = FakeSocket.all.length;
    socket().drop();
    jest.advanceTimersByTime(600_000);
    jest.useRealTimers();
    expect(FakeSocket.all).toHaveLength(count);
    expect(events.socket.retryAt).toBeNull();
    server.answers['GET health'] = HEALTH;
    connection.retryNow();
    await until(() => FakeSocket.all.length > count);
    socket().open();
    expect([connection.status, connection.isLoggedOut]).toEqual(['online', false]);
  });

  it('takes no answer for no refusal', async () => {
    const { connection } = open({});
    await connection.load();
    expect(connection.problem).toBeNull();
  });

  it('tries at once when a person asks for it', () => {
    const { connection, socket } = open();
    socket().open();
    const lost = socket();
    lost.drop();
    connection.retryNow();
    expect(socket()).not.toBe(lost);
  });
});
