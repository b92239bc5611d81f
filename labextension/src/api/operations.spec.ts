import { fakeServer } from '../testing/fakes';
import type { CabinetClient } from './client';
import type { Run } from './types';

/** The compiler refuses each of these requests; `npm run types:check` fails if it accepts one. Never called. */
export function refusedRequests(client: CabinetClient): unknown[] {
  const path = { id: 'a' };
  // @ts-expect-error There is no such path.
  const unknownPath = client.ask('GET', 'nothing');
  // @ts-expect-error This path does not have this method.
  const unknownMethod = client.ask('PATCH', 'plans/{id}', { path });
  // @ts-expect-error The parameter of the path is missing.
  const withoutParameter = client.ask('GET', 'plans/{id}');
  // @ts-expect-error The parameter of the path has another name.
  const otherParameter = client.ask('GET', 'plans/{id}', { path: { name: 'a' } });
  // @ts-expect-error There is no such parameter in the query.
  const unknownQuery = client.ask('GET', 'editor/sessions', { query: { cursor: 'a' } });
  // @ts-expect-error The parameter has other values.
  const otherValue = client.ask('GET', 'approvals', { query: { state: 'open' } });
  // @ts-expect-error The body is missing.
  const withoutBody = client.ask('POST', 'plans');
  // @ts-expect-error A field of the body is missing.
  const withoutField = client.ask('POST', 'plans', { body: {} });
  // @ts-expect-error A field of the body is unknown.
  const unknownField = client.ask('POST', 'plans', { body: { title: 'a', name: 'b' } });
  // @ts-expect-error A field of the body has another type.
  const otherField = client.ask('POST', 'plans', { body: { title: 1 } });
  // @ts-expect-error This operation takes no body.
  const withBody = client.ask('POST', 'plans/{id}/run', { path, body: {} });
  // @ts-expect-error The answer is a plan.
  const otherAnswer: Promise<Run> = client.ask('GET', 'plans/{id}', { path });
  // @ts-expect-error The server answers with nothing.
  const noAnswer: Promise<object> = client.ask('DELETE', 'plans/{id}', { path });
  // @ts-expect-error The answer is a text.
  const textAsJson = client.ask('GET', 'runs/{id}/raw', { path });
  // @ts-expect-error The answer is JSON.
  const jsonAsText = client.file('runs/{id}', { path });
  // @ts-expect-error There is no such WebSocket.
  const unknownSocket = client.socketUrl('runs/a/raw');
  return [
    [unknownPath, unknownMethod, withoutParameter, otherParameter, unknownQuery, otherValue],
    [withoutBody, withoutField, unknownField, otherField, withBody, otherAnswer, noAnswer],
    [textAsJson, jsonAsText, unknownSocket]
  ];
}

describe('a request', () => {
  it('has the parameters of its path, escaped', async () => {
    const server = fakeServer({ 'GET plans/a%2Fb/steps/c%20d': {} });
    const path = { id: 'a/b', step_id: 'c d' };
    await server.client.ask('GET', 'plans/{id}/steps/{step_id}', { path });
    expect(server.requests).toHaveLength(1);
  });

  it('keeps the slashes in the path of a file', async () => {
    const server = fakeServer({ 'GET agents/ada/files/memory/a%20b%3F.md': {} });
    const path = { name: 'ada', path: 'memory/a b?.md' };
    await server.client.ask('GET', 'agents/{name}/files/{path}', { path });
    expect(server.requests).toHaveLength(1);
  });

  it('resolves to undefined if the server answers with nothing', async () => {
    const server = fakeServer({ 'DELETE plans/a': () => ({ status: 204, json: null }) });
    const answer = await server.client.ask('DELETE', 'plans/{id}', { path: { id: 'a' } });
    expect(answer).toBeUndefined();
  });
});
