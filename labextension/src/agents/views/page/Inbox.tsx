/**
 * Messages to the agent: those that it has not read, those that it has, and one to write.
 */
import * as React from 'react';

import type { AgentDetail, Message } from '../../../api/types';
import { fullTime, when } from '../../../shared/time';
import { visible } from '../../../shared/untrusted';
import { StateMark } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Untrusted } from '../../../shared/views/Untrusted';
import { otherwiseWords } from '../../stores/labels';
import { MayButton, Nothing, Refused } from '../parts';
import { useAsking } from '../hooks';
import { Mentions } from './Mentions';
import { SentInRun } from './SentInRun';
import { usePage, useWhyNot } from './services';

export function Inbox({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { page, trans } = usePage();
  const { inbox } = page;
  useChanges(inbox.changed);
  const [chosen, choose] = React.useState<string | null>(null);
  const unread = inbox.value?.messages ?? [];
  const read = inbox.value?.read ?? [];
  const shown = [...unread, ...read].find(({ id }) => id === chosen) ?? null;
  return (
    <div className="jp-Cabinet-page-split">
      <div className="jp-Cabinet-page-list">
        <Refused text={inbox.problem} />
        {inbox.value?.problems.map(problem => (
          <Refused key={problem} text={problem} />
        ))}
        {inbox.value !== null && unread.length === 0 && (
          <Nothing>{trans.__('No unread messages.')}</Nothing>
        )}
        <Messages
          label={trans.__('Unread')}
          messages={unread}
          chosen={chosen}
          isUnread
          onChoose={choose}
        />
        <NotShown count={inbox.value?.more} />
        {read.length > 0 && (
          <h3 className="jp-Cabinet-page-group">
            {trans.__('Read by the agent in a run that succeeded')}
          </h3>
        )}
        <Messages
          label={trans.__('Read')}
          messages={read}
          chosen={chosen}
          isUnread={false}
          onChoose={choose}
        />
      </div>
      <div className="jp-Cabinet-page-beside">
        {shown ? (
          <Shown
            message={shown}
            isUnread={unread.includes(shown)}
            isWorking={agent.status === 'working' || agent.status === 'waiting'}
          />
        ) : (
          unread.length + read.length > 0 && (
            <Nothing>{trans.__('Select a message to read it.')}</Nothing>
          )
        )}
        <Compose agent={agent} />
      </div>
    </div>
  );
}

/** How many messages wait that are not in the list. */
function NotShown({ count = 0 }: { count?: number }): React.ReactElement | null {
  const { trans } = usePage();
  return count === 0 ? null : (
    <p className="jp-Cabinet-quiet">
      {trans._n(
        '%1 older message is waiting and is not shown.',
        '%1 older messages are waiting and are not shown.',
        count
      )}
    </p>
  );
}

function Messages(props: {
  label: string;
  messages: Message[];
  chosen: string | null;
  isUnread: boolean;
  onChoose: (id: string) => void;
}): React.ReactElement {
  const { trans } = usePage();
  return (
    <ul className="jp-Cabinet-plain-list" aria-label={props.label}>
      {props.messages.map(message => (
        <li key={message.id}>
          <button
            type="button"
            className="jp-Cabinet-page-row jp-mod-two"
            aria-current={message.id === props.chosen || undefined}
            onClick={() => props.onChoose(message.id)}
          >
            <span className="jp-Cabinet-page-row-title">
              {props.isUnread ? <strong>{senderOf(message)}</strong> : senderOf(message)}
              <span className="jp-Cabinet-page-row-second">
                {visible(message.body.slice(0, 120).replace(/\s+/g, ' '))}
              </span>
            </span>
            {hasTime(message) && (
              <span className="jp-Cabinet-page-figure" title={fullTime(message.timestamp)}>
                {when(message.timestamp, new Date(), trans)}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The display name of the sender; where it is not known, the name in its file. */
function senderOf({ sender, sender_name: name }: Message): string {
  return visible(name || sender);
}

/** A file that somebody wrote by hand may name no time, or anything. */
function hasTime({ timestamp }: Message): boolean {
  return !Number.isNaN(Date.parse(timestamp));
}

function Shown(props: {
  message: Message;
  isUnread: boolean;
  isWorking: boolean;
}): React.ReactElement {
  const { message } = props;
  const { rendermime, trans } = usePage();
  return (
    <article className="jp-Cabinet-page-message" aria-label={trans.__('Message')}>
      <header>
        <strong title={visible(message.sender)}>{senderOf(message)}</strong>{' '}
        {hasTime(message) && (
          <span className="jp-Cabinet-quiet">{fullTime(message.timestamp)}</span>
        )}
      </header>
      <SentInRun origin={message.origin} />
      <Untrusted block text={message.body} markdown={rendermime} />
      <Mentions text={message.body} />
      {props.isUnread && (
        <p className="jp-Cabinet-page-live-state">
          <StateMark icon="clock" />
          {props.isWorking
            ? trans.__('It is marked as read when a run that received it succeeds.')
            : trans.__('The agent receives it with the next heartbeat.')}
        </p>
      )}
    </article>
  );
}

function Compose({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { page, trans } = usePage();
  const why = useWhyNot();
  const { ask, isBusy, refusal } = useAsking();
  const words = page.words('message');
  useChanges(words.changed);
  const { text } = words;
  const [isRunNow, setRunNow] = React.useState(false);
  const send = () =>
    void ask(async () => {
      await page.send(text, isRunNow, () => words.sent(text));
    });
  return (
    <form
      className="jp-Cabinet-page-compose"
      aria-label={trans.__('New message')}
      onSubmit={event => event.preventDefault()}
    >
      <Refused text={refusal} />
      <textarea
        className="jp-Cabinet-page-area"
        aria-label={trans.__('Message to %1', visible(agent.name))}
        placeholder={trans.__('Write a message')}
        rows={4}
        value={text}
        onChange={event => words.write(event.target.value)}
      />
      <div className="jp-Cabinet-page-bar">
        <label>
          <input
            type="checkbox"
            checked={isRunNow}
            disabled={why !== null}
            onChange={event => setRunNow(event.target.checked)}
          />{' '}
          {trans.__('Run the agent now')}
        </label>
        <span className="jp-Cabinet-page-fill" />
        {!isRunNow && (
          <span className="jp-Cabinet-quiet">{otherwiseWords(agent, new Date(), trans)}</span>
        )}
        <MayButton
          filled
          label={trans.__('Send message')}
          whyNot={why}
          busy={isBusy}
          disabled={!text.trim()}
          onClick={send}
        />
      </div>
    </form>
  );
}
