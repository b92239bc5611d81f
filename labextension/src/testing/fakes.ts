/**
 * Replaces the network in tests: a WebSocket under the test's hand and canned answers.
 * Not part of the extension; only specs import it.
 */
import { ServerConnection } from '@jupyterlab/services';

import { CabinetClient } from '../api/client';
import { EventStream } from '../api/events';

export class FakeSocket {
  static all: FakeSocket[] = [];

  constructor(
    readonly url: string,
    readonly protocol?: string
  ) {
    FakeSocket.all.push(this);
  }

  static get last(): FakeSocket {
    return FakeSocket.all[FakeSocket.all.length - 1];
  }

  binaryType = '';
  readyState = 0;
  sent: (string | Uint8Array)[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;

  send(data: string | Uint8Array): void {
    this.sent.push(data);
  }

  close(): void {
    this.readyState = 3;
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  /** The other side says something: an object as JSON, bytes as they are. */
  receive(data: object | Uint8Array): void {
    this.onmessage?.({
      data: ArrayBuffer.isView(data) ? (data as Uint8Array).slice().buffer : JSON.stringify(data)
    });
  }

  drop(code = 1006, reason = ''): void {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }

  /** The JSON frames that were sent. */
  get frames(): { type: string; [key: string]: unknown }[] {
    return this.sent
      .filter((data): data is string => typeof data === 'string')
      .map(data => JSON.parse(data) as { type: string });
  }
}

interface IAnswer {
  status?: number;
  json: unknown;
}

/** A promise: the answer comes when the test says so. */
export type Answer = (body: unknown) => IAnswer | Promise<IAnswer>;

export interface IFakeServer {
  client: CabinetClient;
  /** Requests as "POST runs", oldest first. */
  requests: { line: string; body: unknown }[];
  answers: Record<string, Answer | object>;
}

/** A client whose requests are answered from a table of "METHOD path". */
export function fakeServer(answers: Record<string, Answer | object> = {}): IFakeServer {
  FakeSocket.all = [];
  const requests: IFakeServer['requests'] = [];
  const server: IFakeServer = { client: null as unknown as CabinetClient, requests, answers };
  const settings = ServerConnection.makeSettings({
    baseUrl: 'http://host/a b/',
    wsUrl: 'ws://host/a b/',
    token: 'secret',
    appendToken: false,
    WebSocket: FakeSocket as unknown as typeof WebSocket,
    fetch: async (input: RequestInfo | URL) => {
      const request = input as Request;
      const url = new URL(request.url);
      const path = url.pathname.split('/cabinet/api/')[1] + url.search.replace(/[?&]\d+$/, '');
      const line = `${request.method} ${path}`;
      const text = ['PATCH', 'POST', 'PUT'].includes(request.method) ? await request.text() : '';
      const body = text ? (JSON.parse(text) as unknown) : undefined;
      requests.push({ line, body });
      const found = server.answers[line] ?? server.answers[line.split('?')[0]];
      if (!found) {
        throw new TypeError(`no answer for ${line}`);
      }
      const answer = typeof found === 'function' ? (found as Answer)(body) : { json: found };
      const { status = 200, json } = answer instanceof Promise ? await answer : answer;
      const sent = typeof json === 'string' ? json : JSON.stringify(json);
      return new Response(status === 204 ? null : sent, { status });
    }
  });
  server.client = new CabinetClient(settings);
  return server;
}

export interface IFakeEvents {
  events: EventStream;
  /** The socket of the connection that is there now. */
  socket: () => FakeSocket;
  happen: (event: object) => void;
  /** The connection is lost, and there again after the first pause at once. */
  reconnect: () => void;
}

/** An event stream of `client`, connected unless told otherwise. */
export function fakeEvents(client: CabinetClient, isOpen = true): IFakeEvents {
  const events = new EventStream(client);
  events.open();
  const first = FakeSocket.last;
  const socket = () => FakeSocket.all.filter(({ url }) => url.split('?')[0] === first.url).pop()!;
  let seq = 0;
  if (isOpen) {
    first.open();
  }
  return {
    events,
    socket,
    happen: event => socket().receive({ type: 'event', seq: ++seq, time: '', event }),
    reconnect: () => {
      socket().drop();
      events.socket.retryNow();
      socket().open();
    }
  };
}

/** An answer that refuses. */
export function refusal(
  status: number,
  kind: string,
  message: string,
  detail: object = {}
): Answer {
  return () => ({ status, json: { error: { kind, message, detail } } });
}

/** Wait until `condition` holds; fails after two seconds. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 2000;
  while (!condition()) {
    if (Date.now() > deadline) {
      throw new Error('It did not come true');
    }
    await new Promise(resolve => setTimeout(resolve, 1));
  }
}
