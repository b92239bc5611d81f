/**
 * The routes of the server, a method for each. It keeps nothing and retries nothing. Callers: the stores.
 */
import { Requests } from './requests';
import type {
  ActivityEntry,
  ActivityQuery,
  AgentDetail,
  AgentList,
  AgentTemplate,
  Approval,
  ApprovalItem,
  ApprovalQuery,
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
  RunQuery,
  RuntimeRow,
  SandboxRecord,
  SessionDetail,
  SessionQuery,
  SessionRow,
  StartAgent,
  Terminal,
  TerminalPatch,
  Trust,
  WorkSwitch
} from './types';

export { ApiError, Offline } from './requests';

/**
 * One method for each route. Rejects with `ApiError` where the server refuses, with `Offline` where nobody
 * answers.
 */
export class CabinetClient extends Requests {
  health(): Promise<Health> {
    return this.ask('GET', 'health');
  }

  runtimes(): Promise<List<RuntimeRow>> {
    return this.ask('GET', 'runtimes');
  }

  /** Starts a run with a prompt that every model can answer. */
  testRuntime(name: string): Promise<Run> {
    return this.ask('POST', 'runtimes/{name}/test', { path: { name } });
  }

  approvals(query: ApprovalQuery): Promise<List<ApprovalItem>> {
    return this.ask('GET', 'approvals', { query });
  }

  approval(id: string): Promise<Approval> {
    return this.ask('GET', 'approvals/{id}', { path: { id } });
  }

  answer(id: string, body: NewAnswer): Promise<Approval> {
    return this.ask('POST', 'approvals/{id}', { path: { id }, body });
  }

  approvalRules(): Promise<RuleList> {
    return this.ask('GET', 'approval-rules');
  }

  /** Replaces all rules; `hash` is that of the list that they were made from. */
  saveApprovalRules(rules: NewRule[], hash: string): Promise<RuleList> {
    return this.ask('PUT', 'approval-rules', { body: { rules, hash } });
  }

  explainRules(body: Explain): Promise<RuleDecision> {
    return this.ask('POST', 'approval-rules/explain', { body });
  }

  runs(query: RunQuery = {}): Promise<List<Run>> {
    return this.ask('GET', 'runs', { query });
  }

  run(id: string): Promise<Run> {
    return this.ask('GET', 'runs/{id}', { path: { id } });
  }

  submit(run: NewRun): Promise<Run> {
    return this.ask('POST', 'runs', { body: run, asksItself: run.kind === 'editor' });
  }

  cancel(id: string): Promise<Run> {
    return this.ask('POST', 'runs/{id}/cancel', { path: { id } });
  }

  /** Put a queued run before the others of its session, and interrupt the one that works there. */
  sendNow(id: string): Promise<Run> {
    return this.ask('POST', 'runs/{id}/now', { path: { id } });
  }

  /** All that a run has told, of one that is final: else the answer does not end. */
  async output(id: string): Promise<OutputFrame[]> {
    const response = await this.file('runs/{id}/output', { path: { id } });
    const lines = (await response.text()).split('\n').filter(line => line.trim());
    return lines.map(line => JSON.parse(line) as OutputFrame);
  }

  /** What agents did, newest first. */
  activity(query: ActivityQuery): Promise<List<ActivityEntry>> {
    return this.ask('GET', 'activity', { query });
  }

  /** All of it as a file. */
  async exportActivity(query: ActivityQuery, format: 'jsonl' | 'ipynb'): Promise<Blob> {
    const response = await this.file('activity/export', { query: { ...query, format } });
    return response.blob();
  }

  /** How much is kept of the changes of all runs. */
  keptChanges(): Promise<KeptChanges> {
    return this.ask('GET', 'changes');
  }

  /** What a run has changed in the workspace. */
  changes(id: string): Promise<Changes> {
    return this.ask('GET', 'runs/{id}/changes', { path: { id } });
  }

  /** What an isolated run could see, change and reach. */
  sandbox(id: string): Promise<SandboxRecord> {
    return this.ask('GET', 'runs/{id}/sandbox', { path: { id } });
  }

  changedFile(id: string, path: string): Promise<FileDiff> {
    return this.ask('GET', 'runs/{id}/changes/file', { path: { id }, query: { path } });
  }

  /** Accept or revert changes, or undo such a decision. */
  decide(id: string, body: Decide): Promise<Changes> {
    return this.ask('POST', 'runs/{id}/changes', { path: { id }, body });
  }

  /** What the CLI wrote, as it wrote it (with a terminal's control sequences). */
  async raw(id: string): Promise<string> {
    const response = await this.file('runs/{id}/raw', { path: { id } });
    return response.text();
  }

  sessions(query: SessionQuery): Promise<List<SessionRow>> {
    return this.ask('GET', 'editor/sessions', { query });
  }

  session(id: string): Promise<SessionDetail> {
    return this.ask('GET', 'editor/sessions/{id}', { path: { id } });
  }

  openSession(body: OpenSession): Promise<SessionDetail> {
    return this.ask('POST', 'editor/sessions', { body });
  }

  closeSession(id: string): Promise<SessionDetail> {
    return this.ask('POST', 'editor/sessions/{id}/close', { path: { id } });
  }

  mentions(q: string, limit = 20): Promise<List<Mention>> {
    return this.ask('GET', 'editor/mentions', { query: { q, limit } });
  }

  /** Where agents of other people work, of whose runs we know nothing else. */
  workInDocuments(): Promise<List<DocumentWork>> {
    return this.ask('GET', 'editor/work');
  }

  terminal(id: string): Promise<Terminal> {
    return this.ask('GET', 'terminals/{id}', { path: { id } });
  }

  terminals(): Promise<List<Terminal>> {
    return this.ask('GET', 'terminals');
  }

  openTerminal(body: NewTerminal): Promise<Terminal> {
    return this.ask('POST', 'terminals', { body });
  }

  changeTerminal(id: string, body: TerminalPatch): Promise<Terminal> {
    return this.ask('PATCH', 'terminals/{id}', { path: { id }, body });
  }

  closeTerminal(id: string): Promise<void> {
    return this.ask('DELETE', 'terminals/{id}', { path: { id } });
  }

  startAgent(id: string, body: StartAgent): Promise<Run> {
    return this.ask('POST', 'terminals/{id}/agent', { path: { id }, body });
  }

  /** Resolves when every process is suspended, continues, or has ended. */
  steerAgent(id: string, verb: 'pause' | 'resume' | 'stop'): Promise<Terminal> {
    return this.ask('POST', `terminals/{id}/agent/${verb}`, { path: { id } });
  }

  setRecording(id: string, on: boolean): Promise<Terminal> {
    return this.ask('PUT', 'terminals/{id}/recording', { path: { id }, body: { on } });
  }

  recordings(): Promise<List<Recording>> {
    return this.ask('GET', 'recordings');
  }

  recording(id: string): Promise<Recording> {
    return this.ask('GET', 'recordings/{id}', { path: { id } });
  }

  deleteRecording(id: string): Promise<void> {
    return this.ask('DELETE', 'recordings/{id}', { path: { id } });
  }

  /** One part of a recording: an asciicast v2 file. */
  async cast(id: string, part: number): Promise<string> {
    const response = await this.file('terminals/{id}/recording', { path: { id }, query: { part } });
    return response.text();
  }

  agents(): Promise<AgentList> {
    return this.ask('GET', 'agents');
  }

  agentTemplates(): Promise<{ items: AgentTemplate[] }> {
    return this.ask('GET', 'agent-templates');
  }

  createAgent(body: NewAgent): Promise<AgentDetail> {
    return this.ask('POST', 'agents', { body });
  }

  agent(slug: string): Promise<AgentDetail> {
    return this.ask('GET', 'agents/{name}', { path: { name: slug } });
  }

  /** Lets it act as it is now; `hash` is that of what the person has seen. */
  confirmAgent(slug: string, hash: string): Promise<AgentDetail> {
    return this.ask('POST', 'agents/{name}/confirm', { path: { name: slug }, body: { hash } });
  }

  /** Starts a heartbeat now. */
  runAgent(slug: string): Promise<Run> {
    return this.ask('POST', 'agents/{name}/run', { path: { name: slug } });
  }

  pauseAgent(slug: string): Promise<AgentDetail> {
    return this.ask('POST', 'agents/{name}/pause', { path: { name: slug }, body: {} });
  }

  resumeAgent(slug: string): Promise<AgentDetail> {
    return this.ask('POST', 'agents/{name}/resume', { path: { name: slug } });
  }

  plays(): Promise<PlayList> {
    return this.ask('GET', 'plays');
  }

  play(slug: string): Promise<PlayDetail> {
    return this.ask('GET', 'plays/{name}', { path: { name: slug } });
  }

  /** Lets it act as it is now; `hash` is that of what the person has seen. */
  confirmPlay(slug: string, hash: string): Promise<PlayDetail> {
    return this.ask('POST', 'plays/{name}/confirm', { path: { name: slug }, body: { hash } });
  }

  workSwitch(): Promise<WorkSwitch> {
    return this.ask('GET', 'switch');
  }

  /** With `now` what works is ended too; answers when that is confirmed. */
  turnWorkSwitch(paused: boolean, now: boolean): Promise<WorkSwitch> {
    return this.ask('POST', 'switch', { body: { paused, now } });
  }

  trust(): Promise<Trust> {
    return this.ask('GET', 'trust');
  }

  confirmTrust(hash: string): Promise<Trust> {
    return this.ask('POST', 'trust', { body: { hash } });
  }
}
