/**
 * What a connected account is notified of, and when.
 */
import * as React from 'react';

import type { DraftStore } from '../../shared/draft';
import { ChoiceField, TextField, TimeField } from '../../shared/views/fields';
import type { IAccountDraft } from '../stores/forms';
import { digestChoices, notifyChoices } from '../stores/labels';
import { useChannels } from './services';

/** `knowsChat`: whether the bot knows where to write to the account. */
export function NotifyFields(props: {
  store: DraftStore<IAccountDraft>;
  knowsChat: boolean;
}): React.ReactElement {
  const { trans } = useChannels();
  const { knowsChat, store } = props;
  const { draft, wrong } = store;
  const hasQuietHours = draft.quietFrom !== '' || draft.quietUntil !== '';
  return (
    <>
      <ChoiceField
        label={trans.__('Notify')}
        hint={trans.__(
          'About your runs and plans, except those started from the chat of this account. Their titles appear in the chat.'
        )}
        value={draft.notify}
        options={notifyChoices(draft.notify, trans)}
        wrong={wrong.notify}
        onChange={notify => store.write({ notify })}
      />
      {draft.notify !== 'off' && !knowsChat && (
        <p role="note">
          {trans.__('The bot does not know your chat yet. Write to it once in a direct chat.')}
        </p>
      )}
      {draft.notify !== 'off' && (
        <>
          <TimeField
            label={trans.__('Quiet from')}
            hint={trans.__('Notifications from the quiet hours are sent when they end.')}
            value={draft.quietFrom}
            wrong={wrong.quietFrom}
            onChange={quietFrom => store.write({ quietFrom })}
          />
          <TimeField
            label={trans.__('Quiet until')}
            value={draft.quietUntil}
            wrong={wrong.quietUntil}
            onChange={quietUntil => store.write({ quietUntil })}
          />
          {hasQuietHours && (
            <TextField
              label={trans.__('Time zone')}
              hint={trans.__('Such as Europe/Berlin.')}
              value={draft.zone}
              wrong={wrong.zone}
              onChange={zone => store.write({ zone })}
            />
          )}
        </>
      )}
      {draft.notify === 'info' && (
        <ChoiceField
          label={trans.__('Report finished work')}
          value={draft.digestMinutes}
          options={digestChoices(draft.digestMinutes, trans)}
          wrong={wrong.digestMinutes}
          onChange={digestMinutes => store.write({ digestMinutes })}
        />
      )}
    </>
  );
}
