/**
 * What a connected account may do, and what it is notified of.
 */
import * as React from 'react';

import type { ConnectedAccount } from '../../api/types';
import type { DraftStore } from '../../shared/draft';
import { visible } from '../../shared/untrusted';
import { DraftDialog, useDraft } from '../../shared/views/DraftDialog';
import { CheckField } from '../../shared/views/fields';
import { ACCOUNT_FIELDS, accountDraft, accountFields, type IAccountDraft } from '../stores/forms';
import { platformOf } from '../stores/platforms';
import { NotifyFields } from './NotifyFields';
import { AgentField } from './parts';
import { useChannels, useWhyNot } from './services';

export function AccountDialog({ account }: { account: ConnectedAccount }): React.ReactElement {
  const { channels, trans } = useChannels();
  const store = useDraft(() => accountDraft(account), ACCOUNT_FIELDS);
  const channel = channels.items?.find(({ id }) => id === account.channel_id);
  const onlySends = channel !== undefined && platformOf(channel.platform, trans).onlySends;
  return (
    <DraftDialog
      label={trans.__('Edit the account %1', visible(account.sender_name))}
      button={trans.__('Save')}
      store={store}
      blocked={useWhyNot()}
      isReady
      send={async draft => {
        await channels.routes.editAccount(account.id, accountFields(draft));
        await channels.refresh();
      }}
      onClose={() => channels.show(null)}
      trans={trans}
    >
      {!onlySends &&
        (channels.isByLogin(account) ? (
          <AccountAgent store={store} />
        ) : (
          <AccountRights store={store} />
        ))}
      <NotifyFields store={store} knowsChat={account.direct_chat !== ''} />
    </DraftDialog>
  );
}

/** The fields about the rights of an account, of any form that has them. */
export function AccountRights<T extends IAccountDraft>(props: {
  store: DraftStore<T>;
}): React.ReactElement {
  const { trans } = useChannels();
  const { draft, wrong } = props.store;
  const write = (change: Partial<IAccountDraft>) => props.store.write(change as Partial<T>);
  return (
    <div className="jp-Cabinet-channel-rights">
      <CheckField
        label={trans.__('May ask agents')}
        hint={trans.__('Messages from this account start runs as you, with your permissions.')}
        value={draft.mayAsk}
        wrong={wrong.mayAsk}
        onChange={mayAsk => write({ mayAsk })}
      />
      <CheckField
        label={trans.__('May answer approval requests')}
        hint={trans.__(
          'Whoever holds this account can allow commands and edits of your agents from the chat.'
        )}
        value={draft.mayApprove}
        wrong={wrong.mayApprove}
        onChange={mayApprove => write({ mayApprove })}
      />
      <AccountAgent store={props.store} />
    </div>
  );
}

function AccountAgent<T extends IAccountDraft>(props: {
  store: DraftStore<T>;
}): React.ReactElement {
  const { trans } = useChannels();
  const { draft, wrong } = props.store;
  return (
    <AgentField
      label={trans.__('Own agent')}
      none={trans.__('That of the channel')}
      hint={trans.__('Answers this account if a message does not mention another agent.')}
      value={draft.agent}
      wrong={wrong.agent}
      onChange={agent => props.store.write({ agent } as Partial<T>)}
    />
  );
}
