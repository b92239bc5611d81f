/**
 * The tool servers that the CLIs have themselves, and the form of a new tool server that is filled in from one of them.
 */
import type { CabinetClient } from '../../api/client';
import { ToolServerRoutes } from '../../api/toolServerRoutes';
import type { ToolServerOfCli } from '../../api/types';
import { ReadingStore } from '../../shared/liveStore';
import { draftOf, type IServerDraft } from './toolLabels';

export class ToolServersOfClisStore extends ReadingStore {
  constructor(client: CabinetClient) {
    super();
    this._routes = new ToolServerRoutes(client);
  }

  /** By CLI; null until the first answer. */
  items: ToolServerOfCli[] | null = null;
  /** Files that cannot be read, in sentences. */
  problems: readonly string[] = [];

  refresh(): Promise<void> {
    return this.latest(
      () => this._routes.ofClis(),
      answer => Object.assign(this, answer)
    );
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
