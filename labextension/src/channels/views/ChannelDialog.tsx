/**
 * A new channel, or the settings of one.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Channel } from '../../api/types';
import type { DraftStore } from '../../shared/draft';
import { DraftDialog, useDraft } from '../../shared/views/DraftDialog';
import { CheckField, ChoiceField, More, TextField } from '../../shared/views/fields';
import { focusMade } from '../../shared/views/focusMade';
import {
  channelFields,
  draftOf,
  type IChannelDraft,
  isComplete,
  newChannel
} from '../stores/forms';
import { keepChoices } from '../stores/labels';
import { type Platform, PLATFORMS, platformOf, secretsOf } from '../stores/platforms';
import { AgentField, BotLink } from './parts';
import { useChannels, useWhyNot } from './services';

/** `channel`: null for a new one. */
export function ChannelDialog({ channel }: { channel: Channel | null }): React.ReactElement {
  const { channels, trans } = useChannels();
  const store = useDraft(() => draftOf(channel), {
    api_url: 'address',
    app_token: 'appToken',
    keep_days: 'keepDays',
    shows_buttons: 'showsButtons'
  });
  const { draft, wrong } = store;
  const isNew = channel === null;
  return (
    <DraftDialog
      label={isNew ? trans.__('Add channel') : trans.__('Edit channel')}
      button={isNew ? trans.__('Add channel') : trans.__('Save')}
      icon={isNew ? addIcon : undefined}
      store={store}
      blocked={useWhyNot()}
      isReady={draft.title.trim() !== '' && (!isNew || isComplete(draft))}
      send={async now => {
        await channels.take(
          await (channel
            ? channels.routes.edit(channel.id, channelFields(now, channel))
            : channels.routes.create(newChannel(now)))
        );
        if (isNew) {
          focusMade('.jp-Cabinet-channels .jp-Cabinet-pane-head h2');
        }
      }}
      onClose={() => channels.show(null)}
      trans={trans}
    >
      {isNew && (
        <ChoiceField
          autoFocus
          label={trans.__('Platform')}
          value={draft.platform}
          options={[
            ...(draft.platform === '' ? [['', trans.__('Choose a platform')] as const] : []),
            ...PLATFORMS.map(each => [each, platformOf(each, trans).title] as const)
          ]}
          wrong={wrong.platform}
          onChange={chosen => store.write({ platform: chosen })}
        />
      )}
      {draft.platform !== '' && (
        <PlatformFields store={store} platform={draft.platform} isNew={isNew} />
      )}
    </DraftDialog>
  );
}

/** What the channel of one platform needs. */
function PlatformFields(props: {
  store: DraftStore<IChannelDraft>;
  platform: Platform;
  isNew: boolean;
}): React.ReactElement {
  const { isNew, store } = props;
  const { trans } = useChannels();
  const { draft, wrong } = store;
  const platform = platformOf(props.platform, trans);
  return (
    <>
      {isNew && <p>{platform.firstSteps}</p>}
      {isNew && platform.create && (
        <BotLink address={platform.create.url} label={platform.create.label} />
      )}
      <TextField
        autoFocus={!isNew}
        label={trans.__('Title')}
        hint={trans.__('Its name in JupyterLab.')}
        value={draft.title}
        wrong={wrong.title}
        onChange={title => store.write({ title })}
      />
      {secretsOf(props.platform).map((field, index) => (
        <TextField
          key={field}
          isSecret
          label={platform.secrets[index].label}
          hint={
            isNew ? platform.secrets[index].hint : trans.__('If empty, the present one is kept.')
          }
          value={draft[field]}
          wrong={wrong[field]}
          onChange={typed => store.write({ [field]: typed })}
        />
      ))}
      {!platform.onlySends && (
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
      )}
      <ChoiceField
        label={trans.__('Keep messages')}
        hint={trans.__(
          'At most the newest 5,000 are kept. Older messages are deleted from this server.'
        )}
        value={draft.keepDays}
        options={keepChoices(draft.keepDays, trans)}
        wrong={wrong.keepDays}
        onChange={keepDays => store.write({ keepDays })}
      />
      {platform.receiver && (
        <>
          <TextField
            label={platform.receiver}
            hint={platform.address}
            value={draft.address}
            wrong={wrong.address}
            onChange={address => store.write({ address })}
          />
          <CheckField
            label={trans.__('The receiver shows buttons')}
            hint={trans.__(
              'Then approval requests have buttons, and the receiver must report when one is pressed.'
            )}
            value={draft.showsButtons}
            wrong={wrong.showsButtons}
            onChange={showsButtons => store.write({ showsButtons })}
          />
        </>
      )}
      {platform.address && !platform.receiver && (
        <More
          label={trans.__('Advanced')}
          isUsed={draft.address !== '' || wrong.address !== undefined}
        >
          <TextField
            label={trans.__('Server address')}
            hint={platform.address}
            value={draft.address}
            wrong={wrong.address}
            onChange={address => store.write({ address })}
          />
        </More>
      )}
    </>
  );
}
