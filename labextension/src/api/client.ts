/**
 * Every request to the server, and the only `fetch`. It keeps nothing and retries nothing.
 * Callers: the stores. Errors become `ApiError` (the server answered) or `Offline` (nobody did).
 */
import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import type {
  AgentDetail,
  AgentRow,
  Approval,
  ApprovalItem,
  Changes,
  Decide,
  Explain,
  FileDiff,
  Health,
  List,
  Mention,
  NewAnswer,
  NewRule,
  NewRun,
  NewTerminal,
  OpenSession,
  OutputFrame,
  PlayDetail,
  PlayRow,
  Recording,
  RuleDecision,
  RuleList,
  Run,
  RuntimeRow,
  SessionDetail,
  SessionRow,
  StartAgent,
  Terminal,
  Trust
} from './types';

const API = 'cabinet/api';

/** The server refused: `kind` is the error's name in the error tree, `message` is for a person. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    message: string,
    readonly detail: Record<string, unknown>
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

/** No answer: the server or the network is gone. */
export class Offline extends Error {
  constructor(cause: unknown) {
    super(String(cause));
    this.name = 'Offline';
  }
}

/** What a list of runs is narrowed to; `q` is looked for in the instruction. */
export type RunQuery = Partial<
  Record<'agent' | 'cursor' | 'kind' | 'path' | 'q' | 'state', string>
> & { limit?: number };

type Query = Record<string, string | number | boolean | undefined>;

/**
 * One method for each route. Rejects with `ApiError` where the server refuses, with `Offline` where nobody
 * answers.
 */
export class CabinetClient {
  constructor(readonly settings: ServerConnection.ISettings = ServerConnection.makeSettings()) {}

  health(): Promise<Health> {
    return this._json('GET', 'health');
  }

  runtimes(): Promise<List<RuntimeRow>> {
    return this._json('GET', 'runtimes');
  }

  /** Starts a run with a prompt that every model can answer. */
  testRuntime(name: string): Promise<Run> {
    return this._json('POST', `runtimes/${encodeURIComponent(name)}/test`, { body: {} });
  }

  approvals(query: {
    state?: 'waiting' | 'closed';
    run_id?: string;
    limit?: number;
    cursor?: string;
  }): Promise<List<ApprovalItem>> {
    return this._json('GET', 'approvals', { query });
  }

  approval(id: string): Promise<Approval> {
    return this._json('GET', `approvals/${encodeURIComponent(id)}`);
  }

  answer(id: string, body: NewAnswer): Promise<Approval> {
    return this._json('POST', `approvals/${encodeURIComponent(id)}`, { body });
  }

  approvalRules(): Promise<RuleList> {
    return this._json('GET', 'approval-rules');
  }

  /** Replaces all rules; `hash` is that of the list that they were made from. */
  saveApprovalRules(rules: NewRule[], hash: string): Promise<RuleList> {
    return this._json('PUT', 'approval-rules', { body: { rules, hash } });
  }

  explainRules(body: Explain): Promise<RuleDecision> {
    return this._json('POST', 'approval-rules/explain', { body });
  }

  runs(query: RunQuery = {}): Promise<List<Run>> {
    return this._json('GET', 'runs', { query });
  }

  run(id: string): Promise<Run> {
    return this._json('GET', `runs/${encodeURIComponent(id)}`);
  }

  submit(run: NewRun): Promise<Run> {
    return this._json('POST', 'runs', { body: run });
  }

  cancel(id: string): Promise<Run> {
    return this._json('POST', `runs/${encodeURIComponent(id)}/cancel`, {
      body: {}
    });
  }

  /** Put a queued run before the others of its session, and interrupt the one that works there. */
  sendNow(id: string): Promise<Run> {
    return this._json('POST', `runs/${encodeURIComponent(id)}/now`, { body: {} });
  }

  /** All that a run has told, of one that is final: else the answer does not end. */
  async output(id: string): Promise<OutputFrame[]> {
    const response = await this._request('GET', `runs/${encodeURIComponent(id)}/output`);
    const lines = (await response.text()).split('\n').filter(line => line.trim());
    return lines.map(line => JSON.parse(line) as OutputFrame);
  }

  /** What the CLI wrote, as it wrote it (with a terminal's control sequences). */
  /** What a run has changed in the workspace. */
  changes(id: string): Promise<Changes> {
    return this._json('GET', `runs/${encodeURIComponent(id)}/changes`);
  }

  changedFile(id: string, path: string): Promise<FileDiff> {
    return this._json('GET', `runs/${encodeURIComponent(id)}/changes/file`, { query: { path } });
  }

  /** Accept changes, take them back, or take such a decision back. */
  decide(id: string, body: Decide): Promise<Changes> {
    return this._json('POST', `runs/${encodeURIComponent(id)}/changes`, { body });
  }

  async raw(id: string): Promise<string> {
    const response = await this._request('GET', `runs/${encodeURIComponent(id)}/raw`);
    return response.text();
  }

  sessions(query: {
    path?: string;
    q?: string;
    limit?: number;
    cursor?: string;
  }): Promise<List<SessionRow>> {
    return this._json('GET', 'editor/sessions', { query });
  }

  session(id: string): Promise<SessionDetail> {
    return this._json('GET', `editor/sessions/${encodeURIComponent(id)}`);
  }

  openSession(body: OpenSession): Promise<SessionDetail> {
    return this._json('POST', 'editor/sessions', { body });
  }

  closeSession(id: string): Promise<SessionDetail> {
    return this._json('POST', `editor/sessions/${encodeURIComponent(id)}/close`, { body: {} });
  }

  mentions(q: string, limit = 20): Promise<List<Mention>> {
    return this._json('GET', 'editor/mentions', { query: { q, limit } });
  }

  terminal(id: string): Promise<Terminal> {
    return this._json('GET', terminalPath(id));
  }

  terminals(): Promise<List<Terminal>> {
    return this._json('GET', 'terminals');
  }

  openTerminal(body: NewTerminal): Promise<Terminal> {
    return this._json('POST', 'terminals', { body });
  }

  async closeTerminal(id: string): Promise<void> {
    await this._request('DELETE', terminalPath(id));
  }

  startAgent(id: string, body: StartAgent): Promise<Run> {
    return this._json('POST', terminalPath(id, 'agent'), { body });
  }

  /** Answers when it is so: every process stands still, goes on, or has ended. */
  steerAgent(id: string, verb: 'pause' | 'resume' | 'stop'): Promise<Terminal> {
    return this._json('POST', terminalPath(id, `agent/${verb}`), { body: {} });
  }

  setRecording(id: string, on: boolean): Promise<Terminal> {
    return this._json('PUT', terminalPath(id, 'recording'), { body: { on } });
  }

  recordings(): Promise<List<Recording>> {
    return this._json('GET', 'recordings');
  }

  recording(id: string): Promise<Recording> {
    return this._json('GET', `recordings/${encodeURIComponent(id)}`);
  }

  async deleteRecording(id: string): Promise<void> {
    await this._request('DELETE', `recordings/${encodeURIComponent(id)}`);
  }

  /** One part of a recording: an asciicast v2 file. */
  async cast(id: string, part: number): Promise<string> {
    const response = await this._request('GET', terminalPath(id, 'recording'), {
      query: { part }
    });
    return response.text();
  }

  agents(): Promise<{ items: AgentRow[] }> {
    return this._json('GET', 'agents');
  }

  agent(slug: string): Promise<AgentDetail> {
    return this._json('GET', agentPath(slug));
  }

  /** Lets it act as it is now; `hash` is that of what the person has seen. */
  confirmAgent(slug: string, hash: string): Promise<AgentDetail> {
    return this._json('POST', agentPath(slug, 'confirm'), { body: { hash } });
  }

  /** Starts a heartbeat now. */
  runAgent(slug: string): Promise<Run> {
    return this._json('POST', agentPath(slug, 'run'), { body: {} });
  }

  pauseAgent(slug: string): Promise<AgentDetail> {
    return this._json('POST', agentPath(slug, 'pause'), { body: {} });
  }

  resumeAgent(slug: string): Promise<AgentDetail> {
    return this._json('POST', agentPath(slug, 'resume'), { body: {} });
  }

  plays(): Promise<{ items: PlayRow[] }> {
    return this._json('GET', 'plays');
  }

  play(slug: string): Promise<PlayDetail> {
    return this._json('GET', `plays/${encodeURIComponent(slug)}`);
  }

  /** Lets it act as it is now; `hash` is that of what the person has seen. */
  confirmPlay(slug: string, hash: string): Promise<PlayDetail> {
    return this._json('POST', `plays/${encodeURIComponent(slug)}/confirm`, { body: { hash } });
  }

  trust(): Promise<Trust> {
    return this._json('GET', 'trust');
  }

  confirmTrust(hash: string): Promise<Trust> {
    return this._json('POST', 'trust', { body: { hash } });
  }

  /** Address of a WebSocket, with the token only where JupyterLab itself adds it. */
  socketUrl(path: string, query: Query = {}): string {
    const { wsUrl, token, appendToken } = this.settings;
    const all: Query = {
      ...query,
      token: appendToken && token ? token : undefined
    };
    return URLExt.join(wsUrl, API, path) + queryString(all);
  }

  /** For the routes whose methods stand in a file of their own. Rejects as they all do. */
  ask<T>(method: string, path: string, body?: object): Promise<T> {
    return this._json(method, path, { body });
  }

  private async _json<T>(
    method: string,
    path: string,
    options: { query?: Query; body?: object } = {}
  ): Promise<T> {
    const response = await this._request(method, path, options);
    return (await response.json()) as T;
  }

  private async _request(
    method: string,
    path: string,
    options: { query?: Query; body?: object } = {}
  ): Promise<Response> {
    const url = URLExt.join(this.settings.baseUrl, API, path) + queryString(options.query ?? {});
    const init: RequestInit = { method };
    if (options.body) {
      init.body = JSON.stringify(options.body);
      init.headers = { 'Content-Type': 'application/json' };
    }
    let response: Response;
    try {
      response = await ServerConnection.makeRequest(url, init, this.settings);
    } catch (reason) {
      throw new Offline(reason);
    }
    if (!response.ok) {
      throw await errorOf(response);
    }
    return response;
  }
}

export function agentPath(slug: string, rest = ''): string {
  return URLExt.join('agents', encodeURIComponent(slug), rest);
}

function terminalPath(id: string, rest = ''): string {
  return URLExt.join('terminals', encodeURIComponent(id), rest);
}

function queryString(query: Query): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') {
      parts.set(name, String(value));
    }
  }
  const text = parts.toString();
  return text ? `?${text}` : '';
}

/** Jupyter's own errors (a lost login, a proxy's page) do not have our shape. */
async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as {
      error: {
        kind: string;
        message: string;
        detail?: Record<string, unknown>;
      };
    };
    return new ApiError(response.status, error.kind, error.message, error.detail ?? {});
  } catch {
    return new ApiError(response.status, 'unknown', response.statusText || text.slice(0, 200), {});
  }
}
