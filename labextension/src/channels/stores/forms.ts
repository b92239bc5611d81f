/**
 * What the forms of channels and connected accounts begin with, and what they send. Pure.
 */
import type {
  AccountFields,
  AccountRight,
  Channel,
  ConnectedAccount,
  EditChannel,
  NewChannel
} from '../../api/types';
import { type Platform, secretsOf } from './platforms';

export interface IChannelDraft {
  /** Empty until the person has chosen one. */
  platform: Platform | '';
  title: string;
  /** Of the bot. Empty: it stays as it is. */
  token: string;
  /** Of the app, if the platform needs one. Empty: it stays as it is. */
  appToken: string;
  /** The slug of the agent that answers. Empty: none. */
  agent: string;
  /** Of another server than the platform's usual one. Empty: that one. */
  address: string;
  /** Whether the receiver of a webhook shows buttons. */
  showsButtons: boolean;
  /** For how long messages are kept, as a number of days. Empty: as long as there are not too many. */
  keepDays: string;
}

export function draftOf(channel: Channel | null): IChannelDraft {
  return {
    platform: channel?.platform ?? '',
    title: channel?.title ?? '',
    token: '',
    appToken: '',
    agent: channel?.agent ?? '',
    address: channel?.api_url ?? '',
    showsButtons: channel?.shows_buttons ?? false,
    keepDays: channel?.keep_days ? String(channel.keep_days) : ''
  };
}

/** `before`: the channel that is edited. What the form does not show stays. */
export function channelFields(draft: IChannelDraft, before: Channel): EditChannel {
  return {
    title: draft.title.trim(),
    agent: draft.agent,
    api_url: draft.address.trim(),
    shows_buttons: draft.platform === 'webhook' && draft.showsButtons,
    keep_days: Number(draft.keepDays),
    enabled: before.enabled,
    rules: before.rules,
    named_chats: before.named_chats,
    more_secrets: moreSecrets(draft),
    token: draft.token.trim() || null
  };
}

/** `draft`: complete, see `isComplete`. */
export function newChannel(draft: IChannelDraft): NewChannel {
  return {
    platform: draft.platform as Platform,
    title: draft.title.trim(),
    token: draft.token.trim(),
    more_secrets: moreSecrets(draft),
    agent: draft.agent,
    api_url: draft.address.trim(),
    shows_buttons: draft.platform === 'webhook' && draft.showsButtons,
    keep_days: Number(draft.keepDays),
    enabled: true,
    rules: [],
    named_chats: []
  };
}

/** Whether everything that the platform needs is written. */
export function isComplete(draft: IChannelDraft): boolean {
  const { platform } = draft;
  if (platform === '') {
    return false;
  }
  const fields = platform === 'webhook' ? (['address'] as const) : secretsOf(platform);
  return fields.every(field => draft[field].trim() !== '');
}

/** Those besides the token that were written, under the server's names. */
function moreSecrets({ appToken, platform }: IChannelDraft): Record<string, string> {
  const isNeeded = platform !== '' && secretsOf(platform).includes('appToken');
  return isNeeded && appToken.trim() ? { app_token: appToken.trim() } : {};
}

export interface IAccountDraft {
  mayAsk: boolean;
  mayApprove: boolean;
  /** The slug of the person's own agent. Empty: that of the channel. */
  agent: string;
  /** The least that the account hears of. */
  notify: ConnectedAccount['notify'];
  quietFrom: string;
  quietUntil: string;
  zone: string;
  /** For how long information is collected, as a number of minutes. Empty: not at all. */
  digestMinutes: string;
}

/** A new account may ask, and not approve, and hears of nothing. */
export function accountDraft(account: ConnectedAccount | null): IAccountDraft {
  return {
    mayAsk: account?.may.includes('ask') ?? true,
    mayApprove: account?.may.includes('approve') ?? false,
    agent: account?.agent ?? '',
    ...notifyDraft(account)
  };
}

function notifyDraft(
  account: ConnectedAccount | null
): Omit<IAccountDraft, 'agent' | 'mayAsk' | 'mayApprove'> {
  if (account === null) {
    return { notify: 'off', quietFrom: '', quietUntil: '', zone: ownZone(), digestMinutes: '' };
  }
  return {
    notify: account.notify,
    quietFrom: account.quiet_from,
    quietUntil: account.quiet_until,
    zone: account.zone || ownZone(),
    digestMinutes: account.digest_minutes ? String(account.digest_minutes) : ''
  };
}

/** What a new account may do. */
export function accountRights(draft: IAccountDraft): Pick<AccountFields, 'agent' | 'may'> {
  const may: AccountRight[] = [];
  if (draft.mayAsk) {
    may.push('ask');
  }
  if (draft.mayApprove) {
    may.push('approve');
  }
  return { agent: draft.agent, may };
}

export function accountFields(draft: IAccountDraft): AccountFields {
  const [from, until] = [draft.quietFrom.trim(), draft.quietUntil.trim()];
  return {
    ...accountRights(draft),
    notify: draft.notify,
    quiet_from: from,
    quiet_until: until,
    zone: from || until ? draft.zone.trim() : '',
    digest_minutes: Number(draft.digestMinutes.trim() || 0)
  };
}

/** The names that the server has for what the form shows by other names. */
export const ACCOUNT_FIELDS = {
  may: 'mayAsk',
  quiet_from: 'quietFrom',
  quiet_until: 'quietUntil',
  digest_minutes: 'digestMinutes'
} as const;

/** The time zone of the browser. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}
