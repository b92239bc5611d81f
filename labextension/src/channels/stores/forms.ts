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

export interface IChannelDraft {
  title: string;
  /** Of the bot. Empty: it stays as it is. */
  token: string;
  /** The slug of the agent that answers. Empty: none. */
  agent: string;
  /** Of a Bot API server that the person runs. Empty: the platform's. */
  address: string;
}

export function draftOf(channel: Channel | null): IChannelDraft {
  return {
    title: channel?.title ?? '',
    token: '',
    agent: channel?.agent ?? '',
    address: channel?.api_url ?? ''
  };
}

/** `before`: the channel that is edited. What the form does not show stays. */
export function channelFields(draft: IChannelDraft, before: Channel): EditChannel {
  return {
    title: draft.title.trim(),
    agent: draft.agent,
    api_url: draft.address.trim(),
    enabled: before.enabled,
    rules: before.rules,
    more_secrets: {},
    token: draft.token.trim() || null
  };
}

export function newChannel(draft: IChannelDraft): NewChannel {
  return {
    platform: 'telegram',
    title: draft.title.trim(),
    token: draft.token.trim(),
    more_secrets: {},
    agent: draft.agent,
    api_url: draft.address.trim(),
    enabled: true,
    rules: []
  };
}

export interface IAccountDraft {
  mayAsk: boolean;
  mayApprove: boolean;
  /** The slug of the person's own agent. Empty: that of the channel. */
  agent: string;
}

/** A new account may ask, and not approve. */
export function accountDraft(account: ConnectedAccount | null): IAccountDraft {
  return {
    mayAsk: account?.may.includes('ask') ?? true,
    mayApprove: account?.may.includes('approve') ?? false,
    agent: account?.agent ?? ''
  };
}

export function accountFields(draft: IAccountDraft): AccountFields {
  const may: AccountRight[] = [];
  if (draft.mayAsk) {
    may.push('ask');
  }
  if (draft.mayApprove) {
    may.push('approve');
  }
  return { agent: draft.agent, may };
}
