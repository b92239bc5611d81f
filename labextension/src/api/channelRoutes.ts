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
    return (await this._client.ask<{ items: Channel[] }>('GET', 'channels')).items;
  }

  create(channel: NewChannel): Promise<Channel> {
    return this._client.ask('POST', 'channels', channel);
  }

  edit(id: string, fields: EditChannel): Promise<Channel> {
    return this._client.ask('PUT', pathOf(id), fields);
  }

  delete(id: string): Promise<void> {
    return this._client.remove(pathOf(id));
  }

  /** Those that the bot knows, the last used first. */
  async chats(id: string): Promise<KnownChat[]> {
    return (await this._client.ask<{ items: KnownChat[] }>('GET', `${pathOf(id)}/chats`)).items;
  }

  /** A new secret of a webhook, shown this once. */
  async makeSecret(id: string): Promise<string> {
    return (await this._client.ask<{ secret: string }>('POST', `${pathOf(id)}/secret`, {})).secret;
  }

  /** To the own chat with the bot. */
  sendTest(id: string): Promise<ChannelMessage> {
    return this._client.ask('POST', `${pathOf(id)}/test`, {});
  }

  /** Newest first. `cursor`: `next` of the page before. */
  messages(
    id: string,
    { cursor, limit, query }: { cursor?: number; limit: number; query: string }
  ): Promise<ChannelMessagePage> {
    const search = new URLSearchParams({ limit: String(limit) });
    if (query) {
      search.set('query', query);
    }
    if (cursor !== undefined) {
      search.set('cursor', String(cursor));
    }
    return this._client.ask('GET', `${pathOf(id)}/messages?${search.toString()}`);
  }

  /** Our own, and all of our channels. */
  async accounts(): Promise<ConnectedAccount[]> {
    const found = await this._client.ask<{ items: ConnectedAccount[] }>('GET', 'channel-pairings');
    return found.items;
  }

  /** Whose code it is. With `may`, that account is connected with us. */
  enterCode(entered: EnterCode): Promise<CodeOwner> {
    return this._client.ask('POST', 'channel-pairings', entered);
  }

  editAccount(id: string, fields: AccountFields): Promise<ConnectedAccount> {
    return this._client.ask('PUT', accountPath(id), fields);
  }

  disconnect(id: string): Promise<void> {
    return this._client.remove(accountPath(id));
  }
}

function pathOf(id: string): string {
  return `channels/${encodeURIComponent(id)}`;
}

function accountPath(id: string): string {
  return `channel-pairings/${encodeURIComponent(id)}`;
}
