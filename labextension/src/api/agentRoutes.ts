/**
 * Requests about what one agent has, receives and has done. They reject as those of the client do.
 */
import type { CabinetClient } from './client';
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
    return this._client.ask('GET', 'runs/{id}/prompt', { path: { id: runId } });
  }

  /** The outcome of each directive of a run. */
  effects(runId: string): Promise<{ items: Effect[] }> {
    return this._client.ask('GET', 'runs/{id}/effects', { path: { id: runId } });
  }

  /** Allow or refuse what a run that has read text from outside wants to do. */
  decideEffect(runId: string, position: number, isAllowed: boolean): Promise<Effect> {
    return this._client.ask('POST', 'runs/{id}/effects/{position}', {
      path: { id: runId, position },
      body: { allow: isAllowed }
    });
  }

  inbox(slug: string): Promise<Inbox> {
    return this._client.ask('GET', 'agents/{name}/inbox', { path: { name: slug } });
  }

  sendMessage(slug: string, text: string): Promise<Message> {
    return this._client.ask('POST', 'agents/{name}/inbox', {
      path: { name: slug },
      body: { text }
    });
  }

  tasks(slug: string): Promise<TaskList> {
    return this._client.ask('GET', 'agents/{name}/tasks', { path: { name: slug } });
  }

  giveTask(slug: string, body: NewTask): Promise<Task> {
    return this._client.ask('POST', 'agents/{name}/tasks', { path: { name: slug }, body });
  }

  moveTask(slug: string, id: string, status: Task['status']): Promise<Task> {
    return this._client.ask('PUT', 'agents/{name}/tasks/{id}', {
      path: { name: slug, id },
      body: { status }
    });
  }

  /** The outcomes of its scheduled heartbeats, and heartbeats of other installations, newest first. */
  history(slug: string): Promise<AgentHistory> {
    return this._client.ask('GET', 'agents/{name}/history', { path: { name: slug } });
  }

  agentFiles(slug: string): Promise<{ items: AgentFileInfo[] }> {
    return this._client.ask('GET', 'agents/{name}/files', { path: { name: slug } });
  }

  /** Passages of its memory that have all of these words, best first. */
  searchMemory(slug: string, q: string): Promise<MemoryMatches> {
    return this._client.ask('GET', 'agents/{name}/memory/search', {
      path: { name: slug },
      query: { q }
    });
  }

  agentFile(slug: string, path: string): Promise<AgentFile> {
    return this._client.ask('GET', 'agents/{name}/files/{path}', { path: { name: slug, path } });
  }

  /** `etag`: of the version that was changed; null begins a file. Refused with 409 where the file is another by now. */
  saveAgentFile(
    slug: string,
    path: string,
    text: string,
    etag: string | null
  ): Promise<{ path: string; etag: string }> {
    return this._client.ask('PUT', 'agents/{name}/files/{path}', {
      path: { name: slug, path },
      body: { text, etag }
    });
  }

  /** Refused with 409 while it works, and where there is an agent of that slug. */
  renameAgent(slug: string, to: string): Promise<AgentDetail> {
    return this._client.ask('POST', 'agents/{name}/rename', {
      path: { name: slug },
      body: { slug: to }
    });
  }

  /** Its persona and steering texts as a private agent of the caller's. */
  duplicateAgent(slug: string, body: { slug: string; name: string }): Promise<AgentDetail> {
    return this._client.ask('POST', 'agents/{name}/duplicate', { path: { name: slug }, body });
  }

  /** `name` is what `restoreAgent` takes. */
  archiveAgent(slug: string): Promise<{ name: string }> {
    return this._client.ask('POST', 'agents/{name}/archive', { path: { name: slug } });
  }

  /** Into the trash; as `archiveAgent`. */
  deleteAgent(slug: string): Promise<{ name: string }> {
    return this._client.ask('DELETE', 'agents/{name}', { path: { name: slug } });
  }

  restoreAgent(name: string): Promise<AgentDetail> {
    return this._client.ask('POST', 'agents/restore', { body: { name } });
  }

  /** As one file that another server can import. */
  async exportAgent(slug: string, query: ExportChoice): Promise<Blob> {
    const options = { path: { name: slug }, query };
    return (await this._client.file('agents/{name}/export', options)).blob();
  }

  /** What an agent would bring. Nothing is written. */
  inspectAgent(source: AgentSource): Promise<ArrivingAgent> {
    return this._client.ask('POST', 'agent-bundles', { body: source });
  }

  /** `user`: also add `USER.md`. Refused with 409 where the name is taken by now, or `hash` is not that of the agent. */
  importAgent(
    body: AgentSource & { hash: string; slug: string; user: boolean }
  ): Promise<AgentDetail> {
    return this._client.ask('POST', 'agent-bundles/import', { body });
  }

  /** Let it reflect, so that it may propose another soul. */
  reflect(slug: string): Promise<Run> {
    return this._client.ask('POST', 'agents/{name}/reflections', { path: { name: slug } });
  }

  /** The soul that it proposes; null if none waits. */
  soulProposal(slug: string): Promise<{ proposal: SoulProposal | null }> {
    return this._client.ask('GET', 'agents/{name}/proposal', { path: { name: slug } });
  }

  /** Refused with 409 where the proposal or the soul is another than the person has seen. */
  decideSoul(slug: string, decision: SoulDecision): Promise<{ proposal: SoulProposal | null }> {
    return this._client.ask('POST', 'agents/{name}/proposal', {
      path: { name: slug },
      body: decision
    });
  }

  /** Earlier versions of one of its files, newest first. */
  fileVersions(slug: string, path: string): Promise<{ items: FileVersion[] }> {
    return this._client.ask('GET', 'agents/{name}/versions', {
      path: { name: slug },
      query: { path }
    });
  }

  fileVersion(slug: string, path: string, id: string): Promise<FileVersionText> {
    return this._client.ask('GET', 'agents/{name}/versions/{id}', {
      path: { name: slug, id },
      query: { path }
    });
  }

  /** Facts about people. Every agent receives them. */
  userFile(): Promise<AgentFile> {
    return this._client.ask('GET', 'user-file');
  }

  saveUserFile(text: string, etag: string | null): Promise<{ path: string; etag: string }> {
    return this._client.ask('PUT', 'user-file', { body: { text, etag } });
  }

  userFileVersions(): Promise<{ items: FileVersion[] }> {
    return this._client.ask('GET', 'user-file/versions');
  }

  userFileVersion(id: string): Promise<FileVersionText> {
    return this._client.ask('GET', 'user-file/versions/{id}', { path: { id } });
  }

  /** The rules of the team. Every agent receives them once a person has confirmed them, by saving them in JupyterLab. */
  protocolFile(): Promise<ProtocolFile> {
    return this._client.ask('GET', 'protocol-file');
  }

  saveProtocolFile(text: string, etag: string | null): Promise<{ path: string; etag: string }> {
    return this._client.ask('PUT', 'protocol-file', { body: { text, etag } });
  }

  protocolFileVersions(): Promise<{ items: FileVersion[] }> {
    return this._client.ask('GET', 'protocol-file/versions');
  }

  protocolFileVersion(id: string): Promise<FileVersionText> {
    return this._client.ask('GET', 'protocol-file/versions/{id}', { path: { id } });
  }

  /** The whole persona, or some of its fields; null removes one. Refused with 409 as a file is. */
  saveAgent(
    slug: string,
    change: { text: string } | { fields: Record<string, unknown> },
    etag: string
  ): Promise<AgentDetail> {
    return this._client.ask('PUT', 'agents/{name}', {
      path: { name: slug },
      body: { ...change, etag }
    });
  }
}
