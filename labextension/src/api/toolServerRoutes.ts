/**
 * Requests about tool servers. They reject as those of the client do.
 */
import type { CabinetClient } from './client';
import type {
  NewToolServer,
  ToolServer,
  ToolServerChange,
  ToolServerList,
  ToolServersOfClis
} from './types';

/** One method for each route. */
export class ToolServerRoutes {
  constructor(private readonly _client: CabinetClient) {}

  /** By name. */
  list(): Promise<ToolServerList> {
    return this._client.ask('GET', 'tool-servers');
  }

  /** Those in the settings of the CLIs. */
  ofClis(): Promise<ToolServersOfClis> {
    return this._client.ask('GET', 'tool-servers-of-clis');
  }

  add(server: NewToolServer): Promise<ToolServer> {
    return this._client.ask('POST', 'tool-servers', server);
  }

  change(name: string, change: ToolServerChange): Promise<ToolServer> {
    return this._client.ask('PUT', pathOf(name), change);
  }

  /** Start it once, and keep what it offers now. */
  look(name: string): Promise<ToolServer> {
    return this._client.ask('POST', `${pathOf(name)}/look`);
  }

  /** Exactly these tools, as the tool server with this hash has them. */
  approve(name: string, tools: readonly string[], hash: string): Promise<ToolServer> {
    return this._client.ask('PUT', `${pathOf(name)}/approval`, { tools, hash });
  }

  remove(name: string): Promise<void> {
    return this._client.remove(pathOf(name));
  }
}

function pathOf(name: string): string {
  return `tool-servers/${encodeURIComponent(name)}`;
}
