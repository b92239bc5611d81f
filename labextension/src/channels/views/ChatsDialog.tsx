/**
 * Who answers in which chat of a channel, and by which names agents post there.
 */
import * as React from 'react';

import type { Channel, KnownChat } from '../../api/types';
import { reasonText } from '../../shared/liveStore';
import { visible } from '../../shared/untrusted';
import { DraftDialog, useDraft } from '../../shared/views/DraftDialog';
import { TextField } from '../../shared/views/fields';
import { Problem } from '../../shared/views/Problem';
import { chatDrafts, chatFields, type IChatDraft } from '../stores/chats';
import { channelFields, draftOf } from '../stores/forms';
import { platformOf } from '../stores/platforms';
import { AgentField } from './parts';
import { useChannels, useWhyNot } from './services';

export function ChatsDialog({ channel }: { channel: Channel }): React.ReactElement {
  const { channels, trans } = useChannels();
  const store = useDraft<{ chats: IChatDraft[] | null }>(() => ({ chats: null }));
  const [problem, setProblem] = React.useState<string | null>(null);
  React.useEffect(() => {
    channels.routes.chats(channel.id).then(
      (known: KnownChat[]) => store.write({ chats: chatDrafts(channel, known) }),
      (reason: unknown) => setProblem(reasonText(reason))
    );
  }, [channels, channel, store]);
  const { chats } = store.draft;
  return (
    <DraftDialog
      label={trans.__('Chats of %1', visible(channel.title))}
      button={trans.__('Save')}
      store={store}
      blocked={useWhyNot()}
      isReady={chats !== null && chats.length > 0}
      send={async draft => {
        const fields = {
          ...channelFields(draftOf(channel), channel),
          ...chatFields(draft.chats!, channel)
        };
        await channels.take(await channels.routes.edit(channel.id, fields));
      }}
      onClose={() => channels.show(null)}
      trans={trans}
    >
      {problem !== null && <Problem trans={trans} text={problem} />}
      {problem === null && chats === null && <p role="status">{trans.__('Loading…')}</p>}
      {chats?.length === 0 && (
        <p>
          {trans.__(
            'The bot knows no chat yet. Write to it, or mention it in a group, then open this form again.'
          )}
        </p>
      )}
      {chats !== null && chats.length > 0 && (
        <p>
          {trans.__(
            'Give a chat a name, such as “news”. Agents use this name to post to the chat, and everybody in the chat can read their posts.'
          )}
        </p>
      )}
      {chats?.map((chat, index) => (
        <ChatFields
          key={chat.chat}
          chat={chat}
          onlySends={platformOf(channel.platform, trans).onlySends ?? false}
          onChange={change =>
            store.write({
              chats: chats.map((each, at) => (at === index ? { ...each, ...change } : each))
            })
          }
        />
      ))}
    </DraftDialog>
  );
}

function ChatFields(props: {
  chat: IChatDraft;
  onlySends: boolean;
  onChange: (change: Partial<IChatDraft>) => void;
}): React.ReactElement {
  const { chat, onChange, onlySends } = props;
  const { trans } = useChannels();
  const title = visible(chat.title || chat.chat);
  return (
    <fieldset className="jp-Cabinet-channel-chat">
      <legend>
        {onlySends
          ? title
          : chat.direct
            ? trans.__('%1, direct chat', title)
            : trans.__('%1, group', title)}
      </legend>
      <TextField
        label={trans.__('Names of this chat')}
        hint={trans.__(
          'Agents post here by one of these names. Separate them with commas. If empty, no agent can post here.'
        )}
        value={chat.names}
        onChange={names => onChange({ names })}
      />
      {!onlySends && (
        <AgentField
          label={trans.__('Answered by')}
          none={trans.__('The usual agent')}
          hint={trans.__('If a message does not mention another agent.')}
          value={chat.agent}
          onChange={agent => onChange({ agent })}
        />
      )}
    </fieldset>
  );
}
