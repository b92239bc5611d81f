/**
 * What a person does with an agent as a whole: rename, duplicate, export, import, archive, delete, restore. Rejects with what
 * the server says.
 */
import { AgentRoutes } from '../../api/agentRoutes';
import { ApiError, type CabinetClient } from '../../api/client';
import type {
  AgentDetail,
  AgentRow,
  AgentSource,
  ArrivingAgent,
  ExportChoice
} from '../../api/types';

/** What is affected when an agent is removed. */
export interface IAffected {
  /** The titles of plays that this agent carries out. */
  plays: string[];
  openTasks: number;
  unread: number;
}

/** What a person chooses when an agent is imported. `slug`: its folder here. `user`: whether `USER.md` is added too. */
export interface IImportChoice {
  slug: string;
  user: boolean;
}

/** The agents among which the server lets the person choose. Empty: it has refused a request for another reason. */
export function agentsToChoose(reason: unknown): string[] {
  const names = reason instanceof ApiError ? reason.detail.agents : undefined;
  return Array.isArray(names) ? names.map(String) : [];
}

export class AgentActions {
  constructor(private readonly _client: CabinetClient) {
    this._routes = new AgentRoutes(_client);
  }

  get(slug: string): Promise<AgentDetail> {
    return this._client.agent(slug);
  }

  async all(): Promise<AgentRow[]> {
    return (await this._client.agents()).items;
  }

  /**
   * `name`: what people read; `to`: its new slug. The folder is first, because it is what the server may refuse: another
   * agent can have it, or a run of this one is at work. Nothing has changed then.
   */
  async rename(slug: string, to: string, name: string): Promise<AgentDetail> {
    const agent = await (to === slug
      ? this._client.agent(slug)
      : this._routes.renameAgent(slug, to));
    return name === agent.name
      ? agent
      : this._routes.saveAgent(to, { fields: { name } }, agent.etag);
  }

  duplicate(slug: string, to: string, name: string): Promise<AgentDetail> {
    return this._routes.duplicateAgent(slug, { slug: to, name });
  }

  export(slug: string, choice: ExportChoice): Promise<Blob> {
    return this._routes.exportAgent(slug, choice);
  }

  inspect(source: AgentSource): Promise<ArrivingAgent> {
    return this._routes.inspectAgent(source);
  }

  /** `hash`: of the agent that the person has seen. */
  import(source: AgentSource, hash: string, { slug, user }: IImportChoice): Promise<AgentDetail> {
    return this._routes.importAgent({ ...source, hash, slug: slug.trim(), user });
  }

  /** Answers the name under which it is restored. */
  async remove(slug: string, how: 'archive' | 'delete'): Promise<string> {
    const { name } = await (how === 'archive'
      ? this._routes.archiveAgent(slug)
      : this._routes.deleteAgent(slug));
    return name;
  }

  restore(name: string): Promise<AgentDetail> {
    return this._routes.restoreAgent(name);
  }

  async affected(slug: string): Promise<IAffected> {
    const [plays, tasks, inbox] = await Promise.all([
      this._client.plays(),
      this._routes.tasks(slug),
      this._routes.inbox(slug)
    ]);
    const isOpen = ({ status }: { status: string }) =>
      status === 'pending' || status === 'in_progress';
    return {
      plays: plays.items
        .filter(({ agent }) => agent === slug)
        .map(({ name, title }) => title || name),
      openTasks: tasks.tasks.filter(isOpen).length,
      unread: inbox.messages.length + (inbox.more ?? 0)
    };
  }

  private readonly _routes: AgentRoutes;
}
