/**
 * Requests about channels and connected accounts. They reject as those of the client do.
 */
import type { CabinetClient } from './client';
import type {
  AccountFields,
  Channel,
  ChannelMessage,
  ChannelMessagePage,
  CodeOwner,
  ConnectedAccount,
  EditChannel,
  EnterCode,
  KnownChat,
  NewChannel
} from './types';

/** One method for each route. */
export class ChannelRoutes {
  constructor(private readonly _client: CabinetClient) {}

  /** The oldest first. */
  async list(): Promise<Channel[]> {
    return (await this._client.ask('GET', 'channels')).items;
  }

  create(channel: NewChannel): Promise<Channel> {
    return this._client.ask('POST', 'channels', { body: channel });
  }

  edit(id: string, fields: EditChannel): Promise<Channel> {
    return this._client.ask('PUT', 'channels/{id}', { path: { id }, body: fields });
  }

  delete(id: string): Promise<void> {
    return this._client.ask('DELETE', 'channels/{id}', { path: { id } });
  }

  /** Those that the bot knows, the last used first. */
  async chats(id: string): Promise<KnownChat[]> {
    return (await this._client.ask('GET', 'channels/{id}/chats', { path: { id } })).items;
  }

  /** A new secret of a webhook, shown this once. */
  async makeSecret(id: string): Promise<string> {
    return (await this._client.ask('POST', 'channels/{id}/secret', { path: { id } })).secret;
  }

  /** To the own chat with the bot. */
  sendTest(id: string): Promise<ChannelMessage> {
    return this._client.ask('POST', 'channels/{id}/test', { path: { id } });
  }

  /** Newest first. `cursor`: `next` of the page before. */
  messages(
    id: string,
    { cursor, limit, query }: { cursor?: number; limit: number; query: string }
  ): Promise<ChannelMessagePage> {
    const options = { path: { id }, query: { limit, query, cursor } };
    return this._client.ask('GET', 'channels/{id}/messages', options);
  }

  /** All of them as Markdown, with a heading for each day in this time zone. */
  async export(id: string, zone: string): Promise<Blob> {
    const options = { path: { id }, query: { zone } };
    return (await this._client.file('channels/{id}/export', options)).blob();
  }

  /** Our own, and all of our channels. */
  async accounts(): Promise<ConnectedAccount[]> {
    return (await this._client.ask('GET', 'channel-pairings')).items;
  }

  /** Whose code it is. With `may`, that account is connected with us. */
  enterCode(entered: EnterCode): Promise<CodeOwner> {
    return this._client.ask('POST', 'channel-pairings', { body: entered });
  }

  editAccount(id: string, fields: AccountFields): Promise<ConnectedAccount> {
    return this._client.ask('PUT', 'channel-pairings/{id}', { path: { id }, body: fields });
  }

  disconnect(id: string): Promise<void> {
    return this._client.ask('DELETE', 'channel-pairings/{id}', { path: { id } });
  }
}
