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

  describe('where nobody has confirmed the folder', () => {
    const error = { kind: 'not_trusted', message: 'Nobody has confirmed', detail: {} };

    function untrusted() {
      const state = { isTrusted: false };
      const answer = () =>
        state.isTrusted ? { json: { id: 'r' } } : { status: 403, json: { error } };
      const server = fakeServer({ 'POST runs': answer, 'POST agents/ada/run': answer });
      return { ...server, state };
    }

    it('continues what was asked once a person has confirmed it', async () => {
      const { client, requests, state } = untrusted();
      client.confirmFolder = async () => (state.isTrusted = true);
      await expect(client.runAgent('ada')).resolves.toMatchObject({ id: 'r' });
      expect(requests).toHaveLength(2);
    });

    it('refuses where the person does not, and asks nobody in the name of the editor', async () => {
      const { client, requests } = untrusted();
      let asked = 0;
      client.confirmFolder = async () => Boolean(++asked && false);
      await expect(client.runAgent('ada')).rejects.toMatchObject({ kind: 'not_trusted' });
      await expect(client.submit({ kind: 'editor', instruction: 'x' })).rejects.toThrow();
      expect([asked, requests.length]).toEqual([1, 2]);
    });
  });

  it('takes an error that is not ours as one', async () => {
    const server = fakeServer({ 'GET health': () => ({ status: 502, json: 'proxy' }) });
    await expect(server.client.health()).rejects.toMatchObject({ kind: 'unknown', status: 502 });
  });

  it('tells that nobody answered', async () => {
    await expect(fakeServer().client.health()).rejects.toBeInstanceOf(Offline);
    await expect(fakeServer().client.health()).rejects.toThrow('The server cannot be reached.');
  });

  it('puts no token into an address unless JupyterLab does', () => {
    expect(fakeServer().client.socketUrl('events', { since: 3 })).toBe(
      'ws://host/a b/cabinet/api/events?since=3'
    );
  });
});
