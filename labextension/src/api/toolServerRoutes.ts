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
    return this._client.ask('POST', 'tool-servers', { body: server });
  }

  change(name: string, change: ToolServerChange): Promise<ToolServer> {
    return this._client.ask('PUT', 'tool-servers/{name}', { path: { name }, body: change });
  }

  /** Start it once, and keep what it offers now. */
  look(name: string): Promise<ToolServer> {
    return this._client.ask('POST', 'tool-servers/{name}/look', { path: { name } });
  }

  /** Exactly these tools, as the tool server with this hash has them. */
  approve(name: string, tools: readonly string[], hash: string): Promise<ToolServer> {
    return this._client.ask('PUT', 'tool-servers/{name}/approval', {
      path: { name },
      body: { tools: [...tools], hash }
    });
  }

  async remove(name: string): Promise<void> {
    await this._client.ask('DELETE', 'tool-servers/{name}', { path: { name } });
  }
}
