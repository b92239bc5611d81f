import { fakeServer } from '../testing/fakes';
import { ApiError, Offline } from './client';

describe('CabinetClient', () => {
  it('keeps a base address with a space and escapes ids', async () => {
    const server = fakeServer({ 'GET runs/a%2Fb': { id: 'a/b' } });
    await server.client.run('a/b');
    expect(server.requests[0].line).toBe('GET runs/a%2Fb');
  });

  it('leaves empty parts of a query out', async () => {
    const server = fakeServer({ 'GET editor/sessions': { items: [], next: null } });
    await server.client.sessions({ path: 'a b.md', q: '', limit: 50 });
    expect(server.requests[0].line).toBe('GET editor/sessions?path=a+b.md&limit=50');
  });

  it('gives the kind and message of a refusal', async () => {
    const error = { kind: 'not_trusted', message: 'Nobody has confirmed', detail: { a: 1 } };
    const server = fakeServer({ 'POST runs': () => ({ status: 403, json: { error } }) });
    const refused = server.client.submit({ kind: 'editor', instruction: 'x' });
    await expect(refused).rejects.toMatchObject({ kind: 'not_trusted', status: 403 });
    await expect(refused).rejects.toBeInstanceOf(ApiError);
  });

  it('takes an error that is not ours as one', async () => {
    const server = fakeServer({ 'GET health': () => ({ status: 502, json: 'proxy' }) });
    await expect(server.client.health()).rejects.toMatchObject({ kind: 'unknown', status: 502 });
  });

  it('tells that nobody answered', async () => {
    await expect(fakeServer().client.health()).rejects.toBeInstanceOf(Offline);
  });

  it('puts no token into an address unless JupyterLab does', () => {
    expect(fakeServer().client.socketUrl('events', { since: 3 })).toBe(
      'ws://host/a b/cabinet/api/events?since=3'
    );
  });
});
