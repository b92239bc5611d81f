/**
 * One channel: its connection, what can be done with it, and its messages.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Channel } from '../../api/types';
import { fullTime } from '../../shared/time';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import { accountsLabel, connectionLabel, countsLabel } from '../stores/labels';
import { isByLogin, platformOf } from '../stores/platforms';
import { MessageList } from './MessageList';
import { BotLink, ChannelMark } from './parts';
import { useChannels, useWhyNot } from './services';
import { Webhook } from './Webhook';

interface IChannelProps {
  channel: Channel;
}

export function ChannelPage({ channel }: IChannelProps): React.ReactElement {
  const { channels, trans } = useChannels();
  const { messages } = channels;
  return (
    <section
      className="jp-Cabinet-pane-page jp-Cabinet-pane-scroll"
      aria-label={trans.__('Channel')}
      tabIndex={-1}
    >
      <header className="jp-Cabinet-pane-head">
        <Button
          link
          className="jp-Cabinet-pane-back"
          label={trans.__('Back to the list')}
          onClick={() => channels.choose(null)}
        />
        <h2 tabIndex={-1}>
          <Untrusted text={channel.title} />
        </h2>
        <State channel={channel} />
        <Facts channel={channel} />
        {channel.may_change ? (
          <>
            {channel.platform === 'webhook' && <Webhook channel={channel} />}
            <Actions channel={channel} />
          </>
        ) : (
          <p>{trans.__('View only. This channel belongs to %1.', visible(channel.owner_name))}</p>
        )}
      </header>
      {messages && <MessageList key={messages.channelId} store={messages} title={channel.title} />}
    </section>
  );
}

function State({ channel }: IChannelProps): React.ReactElement {
  const { trans } = useChannels();
  const { connection } = channel;
  const { onlySends } = platformOf(channel.platform, trans);
  const { icon, label } = connectionLabel(connection, new Date(), trans, onlySends);
  return (
    <>
      <p
        className="jp-Cabinet-pane-line"
        title={connection.since ? fullTime(connection.since) : undefined}
      >
        <span className="jp-Cabinet-channel-state">
          <ChannelMark icon={icon} />
          <strong>{label}</strong>
        </span>
        <BotLink address={connection.address} />
      </p>
      {connection.problem && (
        <p>
          <Untrusted text={connection.problem} /> <Untrusted text={connection.remedy} />
        </p>
      )}
      {countsLabel(channel, trans).map(each => (
        <p key={each}>{each}</p>
      ))}
    </>
  );
}

function Facts({ channel }: IChannelProps): React.ReactElement {
  const { agents, channels, trans } = useChannels();
  useChanges(agents.changed);
  const facts = [
    platformOf(channel.platform, trans).title,
    platformOf(channel.platform, trans).onlySends
      ? trans.__('only takes messages')
      : channel.agent
        ? trans.__('answered by %1', visible(agents.nameOf(channel.agent)))
        : trans.__('no default agent'),
    channel.api_url && visible(channel.api_url)
  ].filter(Boolean);
  return (
    <p className="jp-Cabinet-pane-line">
      <span className="jp-Cabinet-quiet">{facts.join(' · ')}</span>
      <Button
        link
        label={accountsLabel(channel.pairings, trans)}
        onClick={() => channels.turnTo('accounts')}
      />
    </p>
  );
}

function goneWords({ platform }: Channel, trans: TranslationBundle): string {
  if (isByLogin(platform)) {
    return trans.__(
      'Its messages and the connection to all its accounts are deleted. Runs and their changes stay.'
    );
  }
  if (platform === 'webhook') {
    return trans.__(
      'Its messages, its secret and the connection to all its accounts are deleted here. Its address takes no more messages. Runs and their changes stay.'
    );
  }
  return trans.__(
    'Its messages, its tokens and the connection to all its accounts are deleted here. The bot stays in %1. Runs and their changes stay.',
    platformOf(platform, trans).title
  );
}

/** For its owner. */
function Actions({ channel }: IChannelProps): React.ReactElement {
  const { announce, channels, trans } = useChannels();
  const blocked = useWhyNot();
  const busy = channels.isBusy(channel.id);
  const isConnected = channel.connection.state === 'connected';
  const gone = goneWords(channel, trans);
  const remove = async () => {
    const { button } = await showDialog({
      title: trans.__('Delete the channel “%1”?', visible(channel.title)),
      body: gone,
      buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Delete') })],
      defaultButton: 0
    });
    if (button.accept) {
      await channels.delete(channel);
    }
  };
  const test = async () => {
    if (await channels.sendTest(channel)) {
      announce(trans.__('The test message is being sent.'));
    }
  };
  return (
    <div className="jp-Cabinet-pane-actions">
      <Button
        label={trans.__('Edit…')}
        blocked={blocked}
        onClick={() => channels.show({ kind: 'channel', channel })}
      />
      <Button
        label={trans.__('Chats…')}
        title={trans.__('Who answers where, and where agents post')}
        blocked={blocked}
        onClick={() => channels.show({ kind: 'chats', channel })}
      />
      <Button
        label={channel.enabled ? trans.__('Switch off') : trans.__('Switch on')}
        blocked={blocked}
        busy={busy}
        onClick={() => void channels.switchTo(channel, !channel.enabled)}
      />
      <Button
        label={trans.__('Send test message')}
        title={trans.__('To your own chat in this channel')}
        blocked={blocked ?? (isConnected ? null : trans.__('The channel is not connected.'))}
        busy={busy}
        onClick={() => void test()}
      />
      <Button
        label={trans.__('Delete…')}
        blocked={blocked}
        busy={busy}
        onClick={() => void remove()}
      />
    </div>
  );
}
