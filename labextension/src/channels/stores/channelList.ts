/**
 * The channels, the accounts that are connected with them, the channel that is shown, and the form that a person has
 * opened. Kept up while it is shown.
 */
import { ChannelRoutes } from '../../api/channelRoutes';
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { CabinetEvent, Channel, ConnectedAccount } from '../../api/types';
import { LiveStore, reasonText } from '../../shared/liveStore';
import { channelFields, draftOf } from './forms';
import { MessageStore } from './messages';
import { isByLogin } from './platforms';

/** Milliseconds in which changes are read together. */
const TOGETHER = 300;

/** A form over the tab. `channel`: null for a new one. */
export type ChannelForm =
  | { kind: 'channel'; channel: Channel | null }
  | { kind: 'chats'; channel: Channel }
  | { kind: 'code' }
  | { kind: 'account'; account: ConnectedAccount };

export type ChannelsPage = 'channels' | 'accounts';

export class ChannelsStore extends LiveStore {
  constructor(client: CabinetClient, events: EventStream) {
    super(events);
    this.routes = new ChannelRoutes(client);
    this.keepUp();
  }

  readonly routes: ChannelRoutes;
  /** The oldest first; null until the first answer. */
  items: Channel[] | null = null;
  /** Those that this person may manage, the oldest first; null until the first answer. */
  accounts: ConnectedAccount[] | null = null;
  /** Why the server has refused what the person asked for last. */
  refusal: string | null = null;
  page: ChannelsPage = 'channels';
  form: ChannelForm | null = null;
  /** The id of the channel that the person has chosen; null: none. */
  chosen: string | null = null;
  /** Of the channel that is shown. */
  messages: MessageStore | null = null;

  /** The channel that is shown: the one that was chosen, else the first. */
  get shown(): Channel | null {
    return this.items?.find(({ id }) => id === this.chosen) ?? this.items?.[0] ?? null;
  }

  titleOf(channelId: string): string | null {
    return this.items?.find(({ id }) => id === channelId)?.title ?? null;
  }

  /** Whether an account is that of a person who is logged in here, so that it may do what they may. */
  isByLogin({ channel_id }: ConnectedAccount): boolean {
    const channel = this.items?.find(({ id }) => id === channel_id);
    return channel !== undefined && isByLogin(channel.platform);
  }

  /** Whether something that the person asked for is underway, of this channel or account. */
  isBusy(id: string): boolean {
    return this._busy.has(id);
  }

  override dispose(): void {
    this.messages?.dispose();
    super.dispose();
  }

  async refresh(): Promise<void> {
    await this.latest(
      () => Promise.all([this.routes.list(), this.routes.accounts()]),
      ([items, accounts]) => {
        this.items = items;
        this.accounts = accounts;
        this._follow();
      }
    );
  }

  turnTo(page: ChannelsPage): void {
    this.page = page;
    this.refusal = null;
    this.tell();
  }

  /** Show a channel; null: the list, in a narrow tab. */
  choose(id: string | null): void {
    this.chosen = id;
    this.refusal = null;
    this._follow();
    this.tell();
  }

  show(form: ChannelForm | null): void {
    this.form = form;
    this.tell();
  }

  /** A channel was added or changed: show it. */
  async take(channel: Channel): Promise<void> {
    this.page = 'channels';
    this.chosen = channel.id;
    await this.refresh();
  }

  /** Switch a channel off or on. */
  switchTo(channel: Channel, enabled: boolean): Promise<boolean> {
    return this._ask(channel.id, () =>
      this.routes.edit(channel.id, { ...channelFields(draftOf(channel), channel), enabled })
    );
  }

  /** Send a test message to the person's own chat with the bot. */
  sendTest(channel: Channel): Promise<boolean> {
    return this._ask(channel.id, () => this.routes.sendTest(channel.id));
  }

  /** Gives the new secret of a webhook; null if the server refused it. */
  async makeSecret(channel: Channel): Promise<string | null> {
    let secret: string | null = null;
    await this._ask(channel.id, async () => {
      secret = await this.routes.makeSecret(channel.id);
    });
    return secret;
  }

  async delete(channel: Channel): Promise<boolean> {
    return this._ask(channel.id, async () => {
      await this.routes.delete(channel.id);
      if (this.chosen === channel.id) {
        this.chosen = null;
      }
    });
  }

  disconnect(account: ConnectedAccount): Promise<boolean> {
    return this._ask(account.id, () => this.routes.disconnect(account.id));
  }

  dismissRefusal(): void {
    this.refusal = null;
    this.tell();
  }

  /** False if the server refused it: `refusal` says why. */
  private async _ask(id: string, ask: () => Promise<unknown>): Promise<boolean> {
    if (this._busy.has(id)) {
      return false;
    }
    this._busy.add(id);
    this.refusal = null;
    this.tell();
    try {
      await ask();
      await this.refresh();
      return true;
    } catch (reason) {
      this.refusal = reasonText(reason);
      return false;
    } finally {
      this._busy.delete(id);
      this.tell();
    }
  }

  /** The messages are those of the channel that is shown. */
  private _follow(): void {
    const { shown } = this;
    if (shown?.id !== this.messages?.channelId && !this.isDisposed) {
      this.messages?.dispose();
      this.messages = null;
      if (shown) {
        this.messages = new MessageStore(this.routes, shown.id);
        void this.messages.refresh();
      }
    }
  }

  protected onEvent(event: CabinetEvent): void {
    if (event.type === 'channel_changed' || event.type === 'channel_message_changed') {
      this._isStale ||=
        event.type === 'channel_message_changed' && event.channel_id === this.shown?.id;
      this.rereadSoon(TOGETHER);
    }
  }

  protected override onMissed(): void {
    this._isStale = true;
    this.reread();
  }

  protected reread(): void {
    void this.refresh();
    if (this._isStale) {
      this._isStale = false;
      void this.messages?.refresh();
    }
  }

  private readonly _busy = new Set<string>();
  /** Whether the messages have to be read with the channels. */
  private _isStale = false;
}
