/**
 * The messages of a channel, newest first. Strangers write them: they are plain text.
 */
import { downloadIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { ChannelMessage } from '../../api/types';
import { fullTime, when } from '../../shared/time';
import { visible } from '../../shared/untrusted';
import { Button, Card, StateMark } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Problem } from '../../shared/views/Problem';
import { saveFile } from '../../shared/views/saveFile';
import { Untrusted } from '../../shared/views/Untrusted';
import { messageLabel } from '../stores/labels';
import type { MessageStore } from '../stores/messages';
import { useChannels } from './services';

/** Milliseconds without a key. */
const PAUSE = 300;

/** `title`: of the channel. */
export function MessageList(props: { store: MessageStore; title: string }): React.ReactElement {
  const { store, title } = props;
  const { trans } = useChannels();
  useChanges(store.changed);
  const { isForbidden, items, problem } = store;
  return (
    <section className="jp-Cabinet-channel-messages" aria-label={trans.__('Messages')}>
      {isForbidden ? (
        <p className="jp-Cabinet-channel-note">
          {trans.__('Only the owner of the channel can read its messages.')}
        </p>
      ) : (
        <>
          <Tools store={store} title={title} />
          {problem !== null && (
            <Problem
              trans={trans}
              text={problem}
              action={<Button label={trans.__('Reload')} onClick={() => void store.refresh()} />}
            />
          )}
          {items === null && problem === null && (
            <Loading label={trans.__('Loading the messages')} />
          )}
          {items?.length === 0 && <Empty query={store.query} />}
          <ol className="jp-Cabinet-plain-list jp-Cabinet-pane-rows">
            {items?.map(message => (
              <Message key={message.id} message={message} />
            ))}
          </ol>
          {store.hasOlder && (
            <div className="jp-Cabinet-channel-older">
              <Button
                label={trans.__('Load older messages')}
                busy={store.isLoadingOlder}
                onClick={() => void store.loadOlder()}
              />
            </div>
          )}
        </>
      )}
    </section>
  );
}

function Tools(props: { store: MessageStore; title: string }): React.ReactElement {
  const { store, title } = props;
  const { trans } = useChannels();
  const [typed, setTyped] = React.useState(store.query);
  const timer = React.useRef<ReturnType<typeof setTimeout>>();
  React.useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void store.search(text), PAUSE);
  };
  return (
    <div className="jp-Cabinet-pane-tools">
      <h3>{trans.__('Messages')}</h3>
      <Button
        quiet
        icon={downloadIcon}
        label={trans.__('Export')}
        title={trans.__('Export all messages as Markdown, by day')}
        busy={store.isExporting}
        onClick={async () => saveFile(await store.export(), nameOf(title))}
      />
      <span className="jp-Cabinet-channel-search" role="search">
        <input
          type="search"
          className="jp-Cabinet-input"
          aria-label={trans.__('Search messages')}
          placeholder={trans.__('Search messages')}
          value={typed}
          onChange={event => type(event.target.value)}
        />
      </span>
    </div>
  );
}

/** The name of the exported file. */
function nameOf(title: string): string {
  return `${title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'channel'}.md`;
}

function Empty({ query }: { query: string }): React.ReactElement {
  const { trans } = useChannels();
  return query ? (
    <Card title={trans.__('No messages match your search')} />
  ) : (
    <Card title={trans.__('No messages yet')}>
      {trans.__('Messages of connected accounts and the answers of agents appear here.')}
    </Card>
  );
}

function Message({ message }: { message: ChannelMessage }): React.ReactElement {
  const { agents, showRun, trans } = useChannels();
  useChanges(agents.changed);
  const { agent, at, buttons, direction, direct, ending, place, reason, run_id, text } = message;
  const { icon, label } = messageLabel(message, trans);
  const who =
    direction === 'in'
      ? trans.__('From %1', visible(message.sender_name || message.sender_id))
      : agent
        ? trans.__('Answer of %1', visible(agents.nameOf(agent)))
        : trans.__('From Jupyter Cabinet');
  return (
    <li className="jp-Cabinet-channel-message" data-direction={direction}>
      <div className="jp-Cabinet-pane-line">
        <strong>{who}</strong>
        {!direct && place && <span>{trans.__('in %1', visible(place))}</span>}
        <time className="jp-Cabinet-quiet" dateTime={at} title={fullTime(at)}>
          {when(at, new Date(), trans)}
        </time>
        <span className="jp-Cabinet-spring" />
        {icon && <StateMark icon={icon} />}
        <span className={icon ? undefined : 'jp-Cabinet-quiet'}>{label}</span>
        {run_id !== null && run_id !== undefined && (
          <Button link label={trans.__('Open run')} onClick={() => void showRun(run_id)} />
        )}
      </div>
      <Untrusted
        block
        className="jp-Cabinet-channel-text"
        text={ending ? `${text}\n\n${ending}` : text}
      />
      {buttons.length > 0 && !ending && (
        <p className="jp-Cabinet-quiet">
          {trans.__('Buttons: %1', buttons.map(([shown]) => visible(shown)).join(', '))}
        </p>
      )}
      {reason && (
        <p className="jp-Cabinet-channel-reason">
          <Untrusted text={reason} />
        </p>
      )}
    </li>
  );
}
