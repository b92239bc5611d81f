/**
 * What stands in for the network in tests: a WebSocket under the test's hand and canned answers.
 * Not part of the extension; only specs import it.
 */
import { ServerConnection } from '@jupyterlab/services';

import { CabinetClient } from '../api/client';
import { EventStream } from '../api/events';
import type { Approval, Run, RuntimeRow, SessionDetail } from '../api/types';

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
  onclose: ((event: { code: number }) => void) | null = null;

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

  drop(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }

  /** The JSON frames that were sent. */
  get frames(): { type: string; [key: string]: unknown }[] {
    return this.sent
      .filter((data): data is string => typeof data === 'string')
      .map(data => JSON.parse(data) as { type: string });
  }
}

export type Answer = (body: unknown) => { status?: number; json: unknown };

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
      const text =
        request.method === 'POST' || request.method === 'PUT' ? await request.text() : '';
      const body = text ? (JSON.parse(text) as unknown) : undefined;
      requests.push({ line, body });
      const found = server.answers[line] ?? server.answers[line.split('?')[0]];
      if (!found) {
        throw new TypeError(`no answer for ${line}`);
      }
      const { status = 200, json } =
        typeof found === 'function' ? (found as Answer)(body) : { json: found };
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
      events.channel.retryNow();
      socket().open();
    }
  };
}

/** An answer that refuses. */
export function refusal(status: number, kind: string, message: string): Answer {
  return () => ({ status, json: { error: { kind, message } } });
}

export function aRun(change: Partial<Run> = {}): Run {
  return {
    number: 1,
    id: 'run-1',
    kind: 'editor',
    state: 'running',
    reason: '',
    failure: null,
    instruction: 'Add a cell',
    path: 'analysis.ipynb',
    cwd: '.',
    runtime: 'demo',
    runtime_title: 'Demo agent',
    model: null,
    permission_mode: 'edit',
    allowed_tools: null,
    mode: 'terminal',
    session_id: 'session-1',
    terminal_id: 'terminal-1',
    trigger: { kind: 'person', username: 'ada', display_name: 'Ada' },
    owner: 'ada',
    visibility: 'server',
    isolated: false,
    attempt: 1,
    position: null,
    result: null,
    usage: null,
    cost_usd: null,
    warnings: [],
    queued_at: '2026-11-21T10:00:00Z',
    started_at: '2026-11-21T10:00:01Z',
    finished_at: null,
    duration_seconds: null,
    ...change
  };
}

export function aSession(
  change: Partial<SessionDetail['session']> = {},
  runs: Run[] = []
): SessionDetail {
  const session: SessionDetail['session'] = {
    id: 'session-1',
    path: 'analysis.ipynb',
    told_path: null,
    title: '',
    runtime: 'demo',
    native_id: null,
    owner: 'ada',
    visibility: 'server',
    terminal_id: null,
    native_cost_usd: null,
    native_usage: null,
    created_at: '2026-11-21T10:00:00Z',
    updated_at: '2026-11-21T10:00:00Z',
    ...change
  };
  return { session, runs };
}

export function anApproval(change: Partial<Approval> = {}): Approval {
  return {
    number: 1,
    id: 'approval-1',
    state: 'waiting',
    run_id: 'run-1',
    question_id: 'q1',
    session_id: 'session-1',
    terminal_id: null,
    path: 'analysis.ipynb',
    runtime_title: 'Claude Code',
    instruction: 'Add a cell',
    kind: 'command',
    title: 'Claude Code asks to run a command',
    question: 'May it run a command?',
    tool: 'Bash',
    parts: [{ label: 'Command', text: 'pip install statsmodels' }],
    why: '',
    folder: '/srv/work',
    isolated: false,
    risks: ['no_sandbox'],
    options: [
      {
        id: 'allow',
        label: 'Allow once',
        kind: 'allow_once',
        grants: '',
        takes_note: false,
        questions: []
      },
      {
        id: 'session',
        label: 'Allow for this session',
        kind: 'allow_session',
        grants: '',
        takes_note: false,
        questions: []
      },
      { id: 'deny', label: 'Deny', kind: 'deny', grants: '', takes_note: true, questions: [] }
    ],
    in_terminal: false,
    owner: 'ada',
    owner_name: 'Ada Lind',
    visibility: 'server',
    asked_at: '2026-11-21T10:00:00Z',
    expires_at: '2026-11-21T10:10:00Z',
    option: null,
    note: '',
    answered_by: null,
    closed_at: null,
    outcome: '',
    ...change
  };
}

/** One that was found and can do the usual. */
export function aRuntime(change: Partial<RuntimeRow>): RuntimeRow {
  return {
    name: 'claude',
    title: 'Claude Code',
    docs: '',
    install: '',
    login_hint: '',
    found: true,
    reason: '',
    path: '/usr/bin/claude',
    version: '1.0',
    tested: '',
    warning: '',
    login: 'yes',
    capabilities: {
      allowed_tools: false,
      blocking_hooks: false,
      chosen_session_id: false,
      cost: false,
      finish_signal: false,
      fork: false,
      headless: true,
      interactive: true,
      max_turns: false,
      mcp: false,
      models: [],
      permission_modes: ['ask', 'edit', 'bypass'],
      permission_requests: false,
      resume: false,
      system_prompt: false,
      text_deltas: false
    },
    is_default: false,
    builtin: true,
    last_error: null,
    ...change
  };
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
