/**
 * What a person does with an agent as a whole: rename, duplicate, export, archive, delete, restore. Rejects with what
 * the server says.
 */
import { AgentRoutes } from '../../api/agentRoutes';
import type { CabinetClient } from '../../api/client';
import type { AgentDetail, AgentRow } from '../../api/types';

/** What is affected when an agent is removed. */
export interface IAffected {
  /** The names of plays that this agent carries out. */
  plays: string[];
  openTasks: number;
  unread: number;
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

  /** `name`: what people read; `to`: its new slug. Where the second is refused, the first was done. */
  async rename(slug: string, to: string, name: string): Promise<AgentDetail> {
    const agent = await this._client.agent(slug);
    const named =
      name && name !== agent.name
        ? await this._routes.saveAgent(slug, { fields: { name } }, agent.etag)
        : agent;
    return to === slug ? named : this._routes.renameAgent(slug, to);
  }

  duplicate(slug: string, to: string, name: string): Promise<AgentDetail> {
    return this._routes.duplicateAgent(slug, { slug: to, name });
  }

  export(slug: string): Promise<Blob> {
    return this._routes.exportAgent(slug);
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
      plays: plays.items.filter(({ agent }) => agent === slug).map(({ name }) => name),
      openTasks: tasks.tasks.filter(isOpen).length,
      unread: inbox.messages.length + (inbox.more ?? 0)
    };
  }

  private readonly _routes: AgentRoutes;
}
