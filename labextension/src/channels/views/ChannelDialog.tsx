/**
 * A new channel, or the settings of one.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Channel } from '../../api/types';
import { DraftDialog, useDraft } from '../../shared/views/DraftDialog';
import { More, TextField } from '../../shared/views/fields';
import { channelFields, draftOf, newChannel } from '../stores/forms';
import { AgentField } from './parts';
import { useChannels, useWhyNot } from './services';

/** `channel`: null for a new one. */
export function ChannelDialog({ channel }: { channel: Channel | null }): React.ReactElement {
  const { channels, trans } = useChannels();
  const store = useDraft(() => draftOf(channel), { api_url: 'address' });
  const { draft, wrong } = store;
  const isNew = channel === null;
  return (
    <DraftDialog
      label={isNew ? trans.__('Add channel') : trans.__('Edit channel')}
      button={isNew ? trans.__('Add channel') : trans.__('Save')}
      icon={isNew ? addIcon : undefined}
      store={store}
      blocked={useWhyNot()}
      isReady={draft.title.trim() !== '' && (!isNew || draft.token.trim() !== '')}
      send={async now =>
        channels.take(
          await (channel
            ? channels.routes.edit(channel.id, channelFields(now, channel))
            : channels.routes.create(newChannel(now)))
        )
      }
      onClose={() => channels.show(null)}
      trans={trans}
    >
      {isNew && (
        <p>
          {trans.__(
            'In Telegram, write /newbot to @BotFather. It asks for a name and tells you the token.'
          )}
        </p>
      )}
      <TextField
        autoFocus
        label={trans.__('Title')}
        hint={trans.__('How the channel is called here.')}
        value={draft.title}
        wrong={wrong.title}
        onChange={title => store.write({ title })}
      />
      <TextField
        isSecret
        label={trans.__('Token')}
        hint={
          isNew
            ? trans.__('Whoever has the token controls the bot. It is never shown again.')
            : trans.__('If empty, the present token is kept.')
        }
        value={draft.token}
        wrong={wrong.token}
        onChange={token => store.write({ token })}
      />
      <AgentField
        label={trans.__('Agent')}
        none={trans.__('None')}
        hint={trans.__(
          'Answers messages that do not mention another agent. People can choose their own.'
        )}
        value={draft.agent}
        wrong={wrong.agent}
        onChange={agent => store.write({ agent })}
      />
      <More
        label={trans.__('Advanced')}
        isUsed={draft.address !== '' || wrong.address !== undefined}
      >
        <TextField
          label={trans.__('Server address')}
          hint={trans.__('If you run a Bot API server: its address. If empty, Telegram’s is used.')}
          value={draft.address}
          wrong={wrong.address}
          onChange={address => store.write({ address })}
        />
      </More>
    </DraftDialog>
  );
}
