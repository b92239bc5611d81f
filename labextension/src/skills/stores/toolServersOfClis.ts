/**
 * The tool servers that the CLIs have themselves, and the form of a new tool server that is filled in from one of them.
 */
import type { CabinetClient } from '../../api/client';
import { ToolServerRoutes } from '../../api/toolServerRoutes';
import type { ToolServerOfCli } from '../../api/types';
import { Store } from '../../shared/store';
import { draftOf, type IServerDraft } from './toolLabels';

export class ToolServersOfClisStore extends Store {
  constructor(client: CabinetClient) {
    super();
    this._routes = new ToolServerRoutes(client);
  }

  /** By CLI; null until the first answer. */
  items: ToolServerOfCli[] | null = null;
  /** Files that cannot be read, in sentences. */
  problems: readonly string[] = [];
  /** Why the list cannot be read; what was read before stays. */
  problem: string | null = null;

  async refresh(): Promise<void> {
    try {
      const { items, problems } = await this._routes.ofClis();
      Object.assign(this, { items, problems, problem: null });
    } catch (reason) {
      this.problem = (reason as Error).message;
    }
    this.tell();
  }

  private readonly _routes: ToolServerRoutes;
}

const HIDDEN = '…';

/** A form with everything but secrets, which the person enters. */
export function copyOf(server: ToolServerOfCli): IServerDraft {
  const [program = '', ...rest] = server.command;
  return {
    ...draftOf(null),
    name: slugOf(server.name),
    kind: server.address ? 'address' : 'program',
    program,
    arguments: rest.join('\n'),
    environment: server.variables.map(name => `${name}=`).join('\n'),
    address: server.address.replace(`${HIDDEN}@`, '').replace(`?${HIDDEN}`, ''),
    headers: server.headers.map(name => `${name}: `).join('\n')
  };
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 40);
}
