/**
 * The list of channels and the one that is shown, or the connected accounts. In a narrow tab, one after the other.
 */
import * as React from 'react';

import { Button, Tabs } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { type IFocusTargets, useKeptFocus } from '../../shared/views/keptFocus';
import { OfflineStrip } from '../../shared/views/OfflineStrip';
import { Problem } from '../../shared/views/Problem';
import { AccountDialog } from './AccountDialog';
import { AccountList } from './AccountList';
import { ChannelDialog } from './ChannelDialog';
import { ChannelList } from './ChannelList';
import { ChannelPage } from './ChannelPage';
import { ChatsDialog } from './ChatsDialog';
import { CodeDialog } from './CodeDialog';
import { useChannels } from './services';

const FOCUS: IFocusTargets = {
  parts: [['.jp-Cabinet-pane-page', '']],
  places: [".jp-Cabinet-pane-row[tabindex='0']", '.jp-Cabinet-pane-page']
};

export function ChannelsPane(): React.ReactElement {
  const { agents, channels, connection, trans } = useChannels();
  useChanges(channels.changed, connection.changed);
  const { chosen, page, problem, refusal, shown } = channels;
  const panelId = React.useId();
  const content = React.useRef<HTMLDivElement>(null);
  useKeptFocus(content, FOCUS);
  React.useLayoutEffect(() => {
    const { activeElement } = document;
    if (content.current?.contains(activeElement) && !activeElement?.checkVisibility()) {
      const next = chosen ? '.jp-Cabinet-pane-page' : '.jp-Cabinet-pane-row[aria-current]';
      content.current.querySelector<HTMLElement>(next)?.focus(); // in a narrow tab, only one of both is seen
    }
  }, [chosen]);
  React.useEffect(() => {
    if (channels.items === null) {
      void channels.refresh();
    }
  }, [channels]);
  React.useEffect(() => agents.watchAll(), [agents]); // for their names
  return (
    <>
      <div
        ref={content}
        className={`jp-Cabinet-pane jp-Cabinet-channels ${chosen ? 'jp-mod-open' : ''}`.trim()}
        tabIndex={-1}
        data-first-focus
      >
        <OfflineStrip connection={connection} trans={trans} isEmpty={channels.items === null} />
        <Tabs
          label={trans.__('Pages')}
          tabs={[
            { id: 'channels', label: trans.__('Channels') },
            { id: 'accounts', label: trans.__('Connected accounts') }
          ]}
          current={page}
          panelId={panelId}
          onSelect={chosenPage => channels.turnTo(chosenPage)}
        />
        {problem !== null && connection.status !== 'offline' && (
          <Problem
            trans={trans}
            text={problem}
            action={<Button label={trans.__('Reload')} onClick={() => void channels.refresh()} />}
          />
        )}
        {refusal !== null && (
          <Problem trans={trans} text={refusal} onDismiss={() => channels.dismissRefusal()} />
        )}
        <div id={panelId} role="tabpanel" className="jp-Cabinet-pane-part">
          {page === 'accounts' ? (
            <AccountList />
          ) : (
            <div className="jp-Cabinet-pane-columns">
              <ChannelList />
              {shown && <ChannelPage key={shown.id} channel={shown} />}
            </div>
          )}
        </div>
      </div>
      <Form />
    </>
  );
}

/** The form that a person has opened over the tab. */
function Form(): React.ReactElement | null {
  const { form } = useChannels().channels;
  switch (form?.kind) {
    case 'channel':
      return <ChannelDialog channel={form.channel} />;
    case 'chats':
      return <ChatsDialog channel={form.channel} />;
    case 'code':
      return <CodeDialog />;
    case 'account':
      return <AccountDialog account={form.account} />;
    default:
      return null;
  }
}
