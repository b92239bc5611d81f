/**
 * Connects an account on a chat platform with this person, by the code that the bot has told it. First the code, then, for
 * the account that it belongs to, the rights.
 */
import * as React from 'react';

import type { CodeOwner } from '../../api/types';
import { visible } from '../../shared/untrusted';
import { DraftDialog, useDraft } from '../../shared/views/DraftDialog';
import { TextField } from '../../shared/views/fields';
import { Untrusted } from '../../shared/views/Untrusted';
import { accountDraft, accountRights } from '../stores/forms';
import { AccountRights } from './AccountDialog';
import { useChannels, useWhyNot } from './services';

export function CodeDialog(): React.ReactElement {
  const { announce, channels, trans } = useChannels();
  const [owner, setOwner] = React.useState<CodeOwner | null>(null);
  const store = useDraft(() => ({ code: '', ...accountDraft(null) }), { may: 'mayAsk' });
  const { draft, wrong } = store;
  const code = draft.code.trim();
  const close = () => channels.show(null);
  const connect = async () => {
    await channels.routes.enterCode({ code, ...accountRights(store.draft) });
    channels.turnTo('accounts');
    await channels.refresh();
    announce(trans.__('The account is connected.'));
  };
  return (
    <DraftDialog
      label={trans.__('Connect an account')}
      button={owner ? trans.__('Connect') : trans.__('Continue')}
      store={store}
      blocked={useWhyNot()}
      isReady={code !== ''}
      send={owner ? connect : async () => setOwner(await channels.routes.enterCode({ code }))}
      onSent={owner ? close : () => undefined}
      onClose={close}
      trans={trans}
    >
      {owner ? (
        <>
          <Owner owner={owner} />
          {wrong.code !== undefined && <p role="alert">{visible(wrong.code)}</p>}
          <AccountRights store={store} />
        </>
      ) : (
        <TextField
          autoFocus
          label={trans.__('Code')}
          hint={trans.__('Write to the bot. It tells you a code, which is valid for 15 minutes.')}
          value={draft.code}
          wrong={wrong.code}
          onChange={typed => store.write({ code: typed })}
        />
      )}
    </DraftDialog>
  );
}

/** Whose code it is. It gets the focus, because the field that had it is gone. */
function Owner({ owner }: { owner: CodeOwner }): React.ReactElement {
  const { trans } = useChannels();
  const place = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => place.current?.focus(), []);
  return (
    <div ref={place} className="jp-Cabinet-channel-owner" tabIndex={-1}>
      <p>{trans.__('The bot gave this code to the following account.')}</p>
      <dl className="jp-Cabinet-facts">
        <dt>{trans.__('Calls itself')}</dt>
        <dd>
          <Untrusted text={owner.sender_name} />
        </dd>
        <dt>{trans.__('Account number')}</dt>
        <dd>{visible(owner.sender_id)}</dd>
        <dt>{trans.__('Channel')}</dt>
        <dd>
          <Untrusted text={owner.channel_title} />
        </dd>
      </dl>
      <p>
        {trans.__(
          'Connect it only if it is your own. The name is chosen by whoever has the account.'
        )}
      </p>
    </div>
  );
}
