/**
 * The chats of a channel, in the form in which a person says who answers there and by which names agents post. Pure.
 */
import type { Channel, KnownChat } from '../../api/types';

export interface IChatDraft {
  /** The platform's id. */
  chat: string;
  title: string;
  direct: boolean;
  /** The slug of the agent that answers there. Empty: as elsewhere in the channel. */
  agent: string;
  /** By which agents post there, separated by commas. */
  names: string;
}

/** Those that the bot knows, and those of which the channel says something. */
export function chatDrafts(channel: Channel, known: readonly KnownChat[]): IChatDraft[] {
  const chats = new Map<string, { title: string; direct: boolean }>();
  for (const { chat, direct, title } of [...known, ...channel.named_chats]) {
    chats.set(chat, chats.get(chat) ?? { direct, title });
  }
  for (const { chat, user } of channel.rules) {
    if (!user && chat && !chats.has(chat)) {
      chats.set(chat, { direct: false, title: '' });
    }
  }
  return [...chats].map(([chat, { direct, title }]) => ({
    chat,
    title,
    direct,
    agent: channel.rules.find(rule => !rule.user && rule.chat === chat)?.agent ?? '',
    names: channel.named_chats
      .filter(named => named.chat === chat)
      .map(({ name }) => name)
      .join(', ')
  }));
}

/** Other rules stay where they are. */
export function chatFields(
  drafts: readonly IChatDraft[],
  channel: Channel
): Pick<Channel, 'named_chats' | 'rules'> {
  const wanted = new Map(drafts.map(({ agent, chat }) => [chat, agent]));
  const rules = channel.rules.flatMap(rule => {
    if (rule.user || !wanted.has(rule.chat)) {
      return [rule];
    }
    const agent = wanted.get(rule.chat)!;
    wanted.delete(rule.chat);
    return agent ? [{ ...rule, agent }] : [];
  });
  for (const [chat, agent] of wanted) {
    if (agent) {
      rules.push({ agent, chat, user: '' });
    }
  }
  return {
    rules,
    named_chats: drafts.flatMap(({ chat, direct, names, title }) =>
      [...new Set(namesIn(names))].map(name => ({ name, chat, direct, title }))
    )
  };
}

/** People write them as they see them elsewhere, such as #general. */
function namesIn(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map(name => name.replace(/^#/, '').toLowerCase())
    .filter(Boolean);
}
