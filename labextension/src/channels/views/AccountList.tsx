/**
 * The accounts on chat platforms that are connected with people here.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import * as React from 'react';

import type { ConnectedAccount } from '../../api/types';
import { personIcon } from '../../shared/icons';
import { fullTime, when } from '../../shared/time';
import { visible } from '../../shared/untrusted';
import { Button, Card, Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Untrusted } from '../../shared/views/Untrusted';
import { notifyLabel, rightsLabel } from '../stores/labels';
import { EnterCode } from './ChannelList';
import { useChannels, useWhyNot } from './services';

export function AccountList(): React.ReactElement {
  const { channels, trans } = useChannels();
  useChanges(channels.changed);
  const { accounts, problem } = channels;
  return (
    <section className="jp-Cabinet-pane-part" aria-label={trans.__('Connected accounts')}>
      {accounts?.length === 0 ? (
        <Card
          icon={<Icon icon={personIcon} />}
          title={trans.__('No connected accounts')}
          actions={<EnterCode />}
        >
          {trans.__('Write to the bot of a channel. It tells you a code. Enter the code here.')}
        </Card>
      ) : (
        <div className="jp-Cabinet-pane-tools">
          <EnterCode />
        </div>
      )}
      {accounts === null && problem === null && (
        <Loading label={trans.__('Loading the accounts')} />
      )}
      <ul className="jp-Cabinet-plain-list jp-Cabinet-pane-rows jp-Cabinet-pane-scroll">
        {accounts?.map(account => (
          <Account key={account.id} account={account} />
        ))}
      </ul>
    </section>
  );
}

function Account({ account }: { account: ConnectedAccount }): React.ReactElement {
  const { agents, channels, connection, trans } = useChannels();
  useChanges(agents.changed, connection.changed);
  const blocked = useWhyNot();
  const { agent, channel_id, created_at, display_name, may, sender_id, sender_name } = account;
  const isOwn = account.username === connection.username || connection.ownsAll;
  const channel = channels.titleOf(channel_id);
  const name = visible(sender_name);
  const facts = [
    trans.__('belongs to %1', visible(display_name)),
    channel !== null && trans.__('channel %1', visible(channel)),
    rightsLabel(may, trans),
    notifyLabel(account, trans),
    agent && trans.__('own agent %1', visible(agents.nameOf(agent))),
    trans.__('connected since %1', when(created_at, new Date(), trans))
  ].filter(Boolean);
  const disconnect = async () => {
    const { button } = await showDialog({
      title: trans.__('Disconnect the account “%1”?', name),
      body: channels.isByLogin(account)
        ? trans.__(
            'Messages that are waiting for it will not be sent. It is connected again as soon as this person writes a message.'
          )
        : trans.__('Agents no longer answer it. To connect it again, a new code is needed.'),
      buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Disconnect') })],
      defaultButton: 0
    });
    if (button.accept) {
      await channels.disconnect(account);
    }
  };
  return (
    <li className="jp-Cabinet-channel-account">
      <div className="jp-Cabinet-channel-account-words">
        <span className="jp-Cabinet-pane-line">
          <Untrusted className="jp-Cabinet-channel-title" text={sender_name} />
          <span className="jp-Cabinet-quiet">{trans.__('account %1', visible(sender_id))}</span>
        </span>
        <span title={fullTime(created_at)}>{facts.join(' · ')}</span>
      </div>
      <div className="jp-Cabinet-pane-actions" role="group" aria-label={name}>
        {isOwn && (
          <Button
            label={trans.__('Edit…')}
            blocked={blocked}
            onClick={() => channels.show({ kind: 'account', account })}
          />
        )}
        <Button
          label={trans.__('Disconnect…')}
          blocked={blocked}
          busy={channels.isBusy(account.id)}
          onClick={() => void disconnect()}
        />
      </div>
    </li>
  );
}
