/**
 * Requests about what one agent has, receives and has done. They reject as those of the client do.
 */
import { agentPath, type CabinetClient } from './client';
import type {
  AgentDetail,
  AgentFile,
  AgentFileInfo,
  AgentHistory,
  ArrivingAgent,
  AgentSource,
  ExportChoice,
  Effect,
  FileVersion,
  FileVersionText,
  ProtocolFile,
  Inbox,
  MemoryMatches,
  Message,
  NewTask,
  Run,
  SentPrompt,
  SoulDecision,
  SoulProposal,
  Task,
  TaskList
} from './types';

/** One method for each route. */
export class AgentRoutes {
  constructor(private readonly _client: CabinetClient) {}

  /** The prompt that the run's CLI received. */
  sentPrompt(runId: string): Promise<SentPrompt> {
    return this._client.ask('GET', `runs/${encodeURIComponent(runId)}/prompt`);
  }

  /** The outcome of each directive of a run. */
  effects(runId: string): Promise<{ items: Effect[] }> {
    return this._client.ask('GET', `runs/${encodeURIComponent(runId)}/effects`);
  }

  /** Allow or refuse what a run that has read text from outside wants to do. */
  decideEffect(runId: string, position: number, isAllowed: boolean): Promise<Effect> {
    const path = `runs/${encodeURIComponent(runId)}/effects/${position}`;
    return this._client.ask('POST', path, { allow: isAllowed });
  }

  inbox(slug: string): Promise<Inbox> {
    return this._client.ask('GET', agentPath(slug, 'inbox'));
  }

  sendMessage(slug: string, text: string): Promise<Message> {
    return this._client.ask('POST', agentPath(slug, 'inbox'), { text });
  }

  tasks(slug: string): Promise<TaskList> {
    return this._client.ask('GET', agentPath(slug, 'tasks'));
  }

  giveTask(slug: string, body: NewTask): Promise<Task> {
    return this._client.ask('POST', agentPath(slug, 'tasks'), body);
  }

  moveTask(slug: string, id: string, status: Task['status']): Promise<Task> {
    const path = agentPath(slug, `tasks/${encodeURIComponent(id)}`);
    return this._client.ask('PUT', path, { status });
  }

  /** The outcomes of its scheduled heartbeats, and heartbeats of other installations, newest first. */
  history(slug: string): Promise<AgentHistory> {
    return this._client.ask('GET', agentPath(slug, 'history'));
  }

  agentFiles(slug: string): Promise<{ items: AgentFileInfo[] }> {
    return this._client.ask('GET', agentPath(slug, 'files'));
  }

  /** Passages of its memory that have all of these words, best first. */
  searchMemory(slug: string, q: string): Promise<MemoryMatches> {
    return this._client.ask(
      'GET',
      `${agentPath(slug, 'memory/search')}?${new URLSearchParams({ q })}`
    );
  }

  agentFile(slug: string, path: string): Promise<AgentFile> {
    return this._client.ask('GET', agentPath(slug, filePath(path)));
  }

  /** `etag`: of the version that was changed; null begins a file. Refused with 409 where the file is another by now. */
  saveAgentFile(
    slug: string,
    path: string,
    text: string,
    etag: string | null
  ): Promise<{ path: string; etag: string }> {
    return this._client.ask('PUT', agentPath(slug, filePath(path)), { text, etag });
  }

  /** Refused with 409 while it works, and where there is an agent of that slug. */
  renameAgent(slug: string, to: string): Promise<AgentDetail> {
    return this._client.ask('POST', agentPath(slug, 'rename'), { slug: to });
  }

  /** Its persona and steering texts as a private agent of the caller's. */
  duplicateAgent(slug: string, body: { slug: string; name: string }): Promise<AgentDetail> {
    return this._client.ask('POST', agentPath(slug, 'duplicate'), body);
  }

  /** `name` is what `restoreAgent` takes. */
  archiveAgent(slug: string): Promise<{ name: string }> {
    return this._client.ask('POST', agentPath(slug, 'archive'), {});
  }

  /** Into the trash; as `archiveAgent`. */
  deleteAgent(slug: string): Promise<{ name: string }> {
    return this._client.ask('DELETE', agentPath(slug));
  }

  restoreAgent(name: string): Promise<AgentDetail> {
    return this._client.ask('POST', 'agents/restore', { name });
  }

  /** As one file that another server can import. */
  exportAgent(slug: string, { memory, user }: ExportChoice): Promise<Blob> {
    const query = new URLSearchParams({ memory: String(memory), user: String(user) });
    return this._client.file(`${agentPath(slug, 'export')}?${query}`);
  }

  /** What an agent would bring. Nothing is written. */
  inspectAgent(source: AgentSource): Promise<ArrivingAgent> {
    return this._client.ask('POST', 'agent-bundles', source);
  }

  /** `user`: also add `USER.md`. Refused with 409 where the name is taken by now, or `hash` is not that of the agent. */
  importAgent(
    body: AgentSource & { hash: string; slug: string; user: boolean }
  ): Promise<AgentDetail> {
    return this._client.ask('POST', 'agent-bundles/import', body);
  }

  /** Let it reflect, so that it may propose another soul. */
  reflect(slug: string): Promise<Run> {
    return this._client.ask('POST', agentPath(slug, 'reflections'), {});
  }

  /** The soul that it proposes; null if none waits. */
  soulProposal(slug: string): Promise<{ proposal: SoulProposal | null }> {
    return this._client.ask('GET', agentPath(slug, 'proposal'));
  }

  /** Refused with 409 where the proposal or the soul is another than the person has seen. */
  decideSoul(slug: string, decision: SoulDecision): Promise<{ proposal: SoulProposal | null }> {
    return this._client.ask('POST', agentPath(slug, 'proposal'), decision);
  }

  /** Earlier versions of one of its files, newest first. */
  fileVersions(slug: string, path: string): Promise<{ items: FileVersion[] }> {
    return this._client.ask('GET', `${agentPath(slug, 'versions')}?${ofFile(path)}`);
  }

  fileVersion(slug: string, path: string, id: string): Promise<FileVersionText> {
    return this._client.ask('GET', `${agentPath(slug, `versions/${id}`)}?${ofFile(path)}`);
  }

  /** Facts about people. Every agent receives them. */
  userFile(): Promise<AgentFile> {
    return this._client.ask('GET', 'user-file');
  }

  saveUserFile(text: string, etag: string | null): Promise<{ path: string; etag: string }> {
    return this._client.ask('PUT', 'user-file', { text, etag });
  }

  userFileVersions(): Promise<{ items: FileVersion[] }> {
    return this._client.ask('GET', 'user-file/versions');
  }

  userFileVersion(id: string): Promise<FileVersionText> {
    return this._client.ask('GET', `user-file/versions/${id}`);
  }

  /** The rules of the team. Every agent receives them once a person has confirmed them, by saving them in JupyterLab. */
  protocolFile(): Promise<ProtocolFile> {
    return this._client.ask('GET', 'protocol-file');
  }

  saveProtocolFile(text: string, etag: string | null): Promise<{ path: string; etag: string }> {
    return this._client.ask('PUT', 'protocol-file', { text, etag });
  }

  protocolFileVersions(): Promise<{ items: FileVersion[] }> {
    return this._client.ask('GET', 'protocol-file/versions');
  }

  protocolFileVersion(id: string): Promise<FileVersionText> {
    return this._client.ask('GET', `protocol-file/versions/${id}`);
  }

  /** The whole persona, or some of its fields; null removes one. Refused with 409 as a file is. */
  saveAgent(
    slug: string,
    change: { text: string } | { fields: Record<string, unknown> },
    etag: string
  ): Promise<AgentDetail> {
    return this._client.ask('PUT', agentPath(slug), { ...change, etag });
  }
}

function ofFile(path: string): string {
  return `path=${encodeURIComponent(path)}`;
}

function filePath(path: string): string {
  return `files/${path.split('/').map(encodeURIComponent).join('/')}`;
}
