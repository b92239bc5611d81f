/**
 * The routes of the server, a method for each. It keeps nothing and retries nothing. Callers: the stores.
 */
import { URLExt } from '@jupyterlab/coreutils';

import { Requests } from './requests';
import type {
  ActivityEntry,
  ActivityQuery,
  AgentDetail,
  AgentList,
  AgentTemplate,
  Approval,
  ApprovalItem,
  Changes,
  Decide,
  Explain,
  FileDiff,
  Health,
  KeptChanges,
  List,
  DocumentWork,
  Mention,
  NewAgent,
  NewAnswer,
  NewRule,
  NewRun,
  NewTerminal,
  OpenSession,
  OutputFrame,
  PlayDetail,
  PlayList,
  Recording,
  RuleDecision,
  RuleList,
  Run,
  RuntimeRow,
  SandboxRecord,
  SessionDetail,
  SessionRow,
  StartAgent,
  Terminal,
  TerminalPatch,
  Trust,
  WorkSwitch
} from './types';

export { ApiError, Offline } from './requests';

/** What a list of runs is narrowed to; `q` is looked for in the instruction. */
export type RunQuery = Partial<
  Record<'agent' | 'cursor' | 'kind' | 'path' | 'q' | 'state', string>
> & { limit?: number };

/**
 * One method for each route. Rejects with `ApiError` where the server refuses, with `Offline` where nobody
 * answers.
 */
export class CabinetClient extends Requests {
  health(): Promise<Health> {
    return this.json('GET', 'health');
  }

  runtimes(): Promise<List<RuntimeRow>> {
    return this.json('GET', 'runtimes');
  }

  /** Starts a run with a prompt that every model can answer. */
  testRuntime(name: string): Promise<Run> {
    return this.json('POST', `runtimes/${encodeURIComponent(name)}/test`, { body: {} });
  }

  approvals(query: {
    state?: 'waiting' | 'closed';
    run_id?: string;
    limit?: number;
    cursor?: string;
  }): Promise<List<ApprovalItem>> {
    return this.json('GET', 'approvals', { query });
  }

  approval(id: string): Promise<Approval> {
    return this.json('GET', `approvals/${encodeURIComponent(id)}`);
  }

  answer(id: string, body: NewAnswer): Promise<Approval> {
    return this.json('POST', `approvals/${encodeURIComponent(id)}`, { body });
  }

  approvalRules(): Promise<RuleList> {
    return this.json('GET', 'approval-rules');
  }

  /** Replaces all rules; `hash` is that of the list that they were made from. */
  saveApprovalRules(rules: NewRule[], hash: string): Promise<RuleList> {
    return this.json('PUT', 'approval-rules', { body: { rules, hash } });
  }

  explainRules(body: Explain): Promise<RuleDecision> {
    return this.json('POST', 'approval-rules/explain', { body });
  }

  runs(query: RunQuery = {}): Promise<List<Run>> {
    return this.json('GET', 'runs', { query });
  }

  run(id: string): Promise<Run> {
    return this.json('GET', `runs/${encodeURIComponent(id)}`);
  }

  submit(run: NewRun): Promise<Run> {
    return this.json('POST', 'runs', { body: run, asksItself: run.kind === 'editor' });
  }

  cancel(id: string): Promise<Run> {
    return this.json('POST', `runs/${encodeURIComponent(id)}/cancel`, {
      body: {}
    });
  }

  /** Put a queued run before the others of its session, and interrupt the one that works there. */
  sendNow(id: string): Promise<Run> {
    return this.json('POST', `runs/${encodeURIComponent(id)}/now`, { body: {} });
  }

  /** All that a run has told, of one that is final: else the answer does not end. */
  async output(id: string): Promise<OutputFrame[]> {
    const response = await this.request('GET', `runs/${encodeURIComponent(id)}/output`);
    const lines = (await response.text()).split('\n').filter(line => line.trim());
    return lines.map(line => JSON.parse(line) as OutputFrame);
  }

  /** What agents did, newest first. */
  activity(query: ActivityQuery): Promise<List<ActivityEntry>> {
    return this.json('GET', 'activity', { query });
  }

  /** All of it as a file. */
  async exportActivity(query: ActivityQuery, format: 'jsonl' | 'ipynb'): Promise<Blob> {
    const response = await this.request('GET', 'activity/export', { query: { ...query, format } });
    return response.blob();
  }

  /** How much is kept of the changes of all runs. */
  keptChanges(): Promise<KeptChanges> {
    return this.json('GET', 'changes');
  }

  /** What a run has changed in the workspace. */
  changes(id: string): Promise<Changes> {
    return this.json('GET', `runs/${encodeURIComponent(id)}/changes`);
  }

  /** What an isolated run could see, change and reach. */
  sandbox(id: string): Promise<SandboxRecord> {
    return this.json('GET', `runs/${encodeURIComponent(id)}/sandbox`);
  }

  changedFile(id: string, path: string): Promise<FileDiff> {
    return this.json('GET', `runs/${encodeURIComponent(id)}/changes/file`, { query: { path } });
  }

  /** Accept or revert changes, or undo such a decision. */
  decide(id: string, body: Decide): Promise<Changes> {
    return this.json('POST', `runs/${encodeURIComponent(id)}/changes`, { body });
  }

  /** What the CLI wrote, as it wrote it (with a terminal's control sequences). */
  async raw(id: string): Promise<string> {
    const response = await this.request('GET', `runs/${encodeURIComponent(id)}/raw`);
    return response.text();
  }

  sessions(query: {
    path?: string;
    q?: string;
    limit?: number;
    cursor?: string;
  }): Promise<List<SessionRow>> {
    return this.json('GET', 'editor/sessions', { query });
  }

  session(id: string): Promise<SessionDetail> {
    return this.json('GET', `editor/sessions/${encodeURIComponent(id)}`);
  }

  openSession(body: OpenSession): Promise<SessionDetail> {
    return this.json('POST', 'editor/sessions', { body });
  }

  closeSession(id: string): Promise<SessionDetail> {
    return this.json('POST', `editor/sessions/${encodeURIComponent(id)}/close`, { body: {} });
  }

  mentions(q: string, limit = 20): Promise<List<Mention>> {
    return this.json('GET', 'editor/mentions', { query: { q, limit } });
  }

  /** Where agents of other people work, of whose runs we know nothing else. */
  workInDocuments(): Promise<List<DocumentWork>> {
    return this.json('GET', 'editor/work');
  }

  terminal(id: string): Promise<Terminal> {
    return this.json('GET', terminalPath(id));
  }

  terminals(): Promise<List<Terminal>> {
    return this.json('GET', 'terminals');
  }

  openTerminal(body: NewTerminal): Promise<Terminal> {
    return this.json('POST', 'terminals', { body });
  }

  changeTerminal(id: string, body: TerminalPatch): Promise<Terminal> {
    return this.json('PATCH', terminalPath(id), { body });
  }

  async closeTerminal(id: string): Promise<void> {
    await this.request('DELETE', terminalPath(id));
  }

  startAgent(id: string, body: StartAgent): Promise<Run> {
    return this.json('POST', terminalPath(id, 'agent'), { body });
  }

  /** Resolves when every process is suspended, continues, or has ended. */
  steerAgent(id: string, verb: 'pause' | 'resume' | 'stop'): Promise<Terminal> {
    return this.json('POST', terminalPath(id, `agent/${verb}`), { body: {} });
  }

  setRecording(id: string, on: boolean): Promise<Terminal> {
    return this.json('PUT', terminalPath(id, 'recording'), { body: { on } });
  }

  recordings(): Promise<List<Recording>> {
    return this.json('GET', 'recordings');
  }

  recording(id: string): Promise<Recording> {
    return this.json('GET', `recordings/${encodeURIComponent(id)}`);
  }

  async deleteRecording(id: string): Promise<void> {
    await this.request('DELETE', `recordings/${encodeURIComponent(id)}`);
  }

  /** One part of a recording: an asciicast v2 file. */
  async cast(id: string, part: number): Promise<string> {
    const response = await this.request('GET', terminalPath(id, 'recording'), {
      query: { part }
    });
    return response.text();
  }

  agents(): Promise<AgentList> {
    return this.json('GET', 'agents');
  }

  agentTemplates(): Promise<{ items: AgentTemplate[] }> {
    return this.json('GET', 'agent-templates');
  }

  createAgent(body: NewAgent): Promise<AgentDetail> {
    return this.json('POST', 'agents', { body });
  }

  agent(slug: string): Promise<AgentDetail> {
    return this.json('GET', agentPath(slug));
  }

  /** Lets it act as it is now; `hash` is that of what the person has seen. */
  confirmAgent(slug: string, hash: string): Promise<AgentDetail> {
    return this.json('POST', agentPath(slug, 'confirm'), { body: { hash } });
  }

  /** Starts a heartbeat now. */
  runAgent(slug: string): Promise<Run> {
    return this.json('POST', agentPath(slug, 'run'), { body: {} });
  }

  pauseAgent(slug: string): Promise<AgentDetail> {
    return this.json('POST', agentPath(slug, 'pause'), { body: {} });
  }

  resumeAgent(slug: string): Promise<AgentDetail> {
    return this.json('POST', agentPath(slug, 'resume'), { body: {} });
  }

  plays(): Promise<PlayList> {
    return this.json('GET', 'plays');
  }

  play(slug: string): Promise<PlayDetail> {
    return this.json('GET', `plays/${encodeURIComponent(slug)}`);
  }

  /** Lets it act as it is now; `hash` is that of what the person has seen. */
  confirmPlay(slug: string, hash: string): Promise<PlayDetail> {
    return this.json('POST', `plays/${encodeURIComponent(slug)}/confirm`, { body: { hash } });
  }

  workSwitch(): Promise<WorkSwitch> {
    return this.json('GET', 'switch');
  }

  /** With `now` what works is ended too; answers when that is confirmed. */
  turnWorkSwitch(paused: boolean, now: boolean): Promise<WorkSwitch> {
    return this.json('POST', 'switch', { body: { paused, now } });
  }

  trust(): Promise<Trust> {
    return this.json('GET', 'trust');
  }

  confirmTrust(hash: string): Promise<Trust> {
    return this.json('POST', 'trust', { body: { hash } });
  }

  /** For the routes whose methods are in a separate file. Rejects as they all do. */
  ask<T>(method: string, path: string, body?: object): Promise<T> {
    return this.json(method, path, { body });
  }

  /** The same where there is nothing to answer. */
  async remove(path: string): Promise<void> {
    await this.request('DELETE', path);
  }

  /** What is downloaded as a file. */
  async file(path: string): Promise<Blob> {
    return (await this.request('GET', path)).blob();
  }
}

export function agentPath(slug: string, rest = ''): string {
  return URLExt.join('agents', encodeURIComponent(slug), rest);
}

function terminalPath(id: string, rest = ''): string {
  return URLExt.join('terminals', encodeURIComponent(id), rest);
}
