/**
 * Where other programs send their messages to a webhook, and the secret that both sides sign with.
 */
import { URLExt } from '@jupyterlab/coreutils';
import * as React from 'react';

import type { Channel } from '../../api/types';
import { Button } from '../../shared/views/components';
import { Copy } from '../../shared/views/Copy';
import { useChannels, useWhyNot } from './services';

/** For the owner of the channel. */
export function Webhook({ channel }: { channel: Channel }): React.ReactElement {
  const { channels, serverUrl, trans } = useChannels();
  const [secret, setSecret] = React.useState<string | null>(null);
  const blocked = useWhyNot();
  const address = URLExt.join(serverUrl, 'cabinet/api/hooks/channels', channel.id);
  const hasSecret = channel.token_id !== '';
  const make = async () => setSecret(await channels.makeSecret(channel));
  return (
    <div className="jp-Cabinet-channel-webhook">
      <p>{trans.__('Send signed messages to this address:')}</p>
      <div>
        <code className="jp-Cabinet-code">{address}</code>
        <Copy bare text={address} label={trans.__('Copy the address')} trans={trans} />
      </div>
      {secret !== null && (
        <div role="status">
          <p>{trans.__('The secret, which is shown only once:')}</p>
          <code className="jp-Cabinet-code">{secret}</code>
          <Copy bare text={secret} label={trans.__('Copy the secret')} trans={trans} />
        </div>
      )}
      <div className="jp-Cabinet-pane-line">
        <Button
          label={hasSecret ? trans.__('New secret') : trans.__('Create a secret')}
          blocked={blocked}
          busy={channels.isBusy(channel.id)}
          onClick={() => void make()}
        />
        <span className="jp-Cabinet-quiet">
          {hasSecret
            ? trans.__('If you create a new secret, the current one stops working.')
            : trans.__('Both sides sign with it. Without it, nothing is sent or received.')}
        </span>
      </div>
    </div>
  );
}
