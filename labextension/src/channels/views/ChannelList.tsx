/**
 * The channels, each with the state of its connection and what waits there.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Channel } from '../../api/types';
import { chatIcon } from '../../shared/icons';
import { Button, Card, Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Untrusted } from '../../shared/views/Untrusted';
import { useArrows } from '../../shared/views/useArrows';
import { connectionLabel, countsLabel } from '../stores/labels';
import { platformOf } from '../stores/platforms';
import { ChannelMark } from './parts';
import { useChannels, useWhyNot } from './services';

export function ChannelList(): React.ReactElement {
  const { channels, trans } = useChannels();
  useChanges(channels.changed);
  return (
    <section className="jp-Cabinet-pane-list" aria-label={trans.__('Channels')}>
      {channels.items?.length !== 0 && (
        <div className="jp-Cabinet-pane-tools">
          <AddButtons />
        </div>
      )}
      <Rows />
    </section>
  );
}

function AddButtons({ isFilled }: { isFilled?: boolean }): React.ReactElement {
  const { channels, trans } = useChannels();
  const blocked = useWhyNot();
  return (
    <>
      <Button
        filled={isFilled}
        icon={addIcon}
        label={trans.__('Add channel…')}
        blocked={blocked}
        onClick={() => channels.show({ kind: 'channel', channel: null })}
      />
      <EnterCode />
    </>
  );
}

export function EnterCode(): React.ReactElement {
  const { channels, trans } = useChannels();
  return (
    <Button
      label={trans.__('Enter code…')}
      title={trans.__('Connect your account on a chat platform')}
      blocked={useWhyNot()}
      onClick={() => channels.show({ kind: 'code' })}
    />
  );
}

function Rows(): React.ReactElement | null {
  const { channels, trans } = useChannels();
  const { items, problem, shown } = channels;
  const list = React.useRef<HTMLUListElement>(null);
  const arrows = useArrows(list, '.jp-Cabinet-pane-row', items?.length ?? 0);
  if (items === null) {
    return problem === null ? <Loading label={trans.__('Loading the channels')} /> : null;
  }
  if (items.length === 0) {
    return <Empty />;
  }
  return (
    <ul
      ref={list}
      className="jp-Cabinet-plain-list jp-Cabinet-pane-rows jp-Cabinet-pane-scroll"
      onKeyDown={arrows.onKeyDown}
    >
      {items.map((channel, index) => (
        <ChannelRow
          key={channel.id}
          channel={channel}
          isShown={channel.id === shown?.id}
          isCurrent={index === arrows.current}
          onFocus={() => arrows.setCurrent(index)}
        />
      ))}
    </ul>
  );
}

function ChannelRow(props: {
  channel: Channel;
  isShown: boolean;
  isCurrent: boolean;
  onFocus: () => void;
}): React.ReactElement {
  const { channel, isCurrent, isShown, onFocus } = props;
  const { channels, trans } = useChannels();
  const { onlySends } = platformOf(channel.platform, trans);
  const { icon, label } = connectionLabel(channel.connection, new Date(), trans, onlySends);
  return (
    <li>
      <button
        type="button"
        className="jp-Cabinet-pane-choice jp-Cabinet-pane-row"
        aria-current={isShown || undefined}
        tabIndex={isCurrent ? 0 : -1}
        onFocus={onFocus}
        onClick={() => channels.choose(channel.id)}
      >
        <span className="jp-Cabinet-pane-row-head">
          <Untrusted className="jp-Cabinet-pane-title" text={channel.title} />
          <span className="jp-Cabinet-quiet">{platformOf(channel.platform, trans).title}</span>
        </span>
        <span className="jp-Cabinet-pane-row-head">
          <ChannelMark icon={icon} />
          <span>{label}</span>
        </span>
        {countsLabel(channel, trans).map(each => (
          <span key={each}>{each}</span>
        ))}
      </button>
    </li>
  );
}

function Empty(): React.ReactElement {
  const { trans } = useChannels();
  return (
    <Card
      icon={<Icon icon={chatIcon} />}
      title={trans.__('No channels yet')}
      actions={<AddButtons isFilled />}
    >
      <p>
        {trans.__(
          'A channel is a bot on a chat platform, or a page of this server. People write to it, and one of your agents answers.'
        )}
      </p>
      <p>
        {trans.__(
          'To begin, add a web chat, which needs no account elsewhere. Or create a bot with @BotFather in Telegram, an app in Slack, or an application in Discord, and add it here.'
        )}
      </p>
    </Card>
  );
}
