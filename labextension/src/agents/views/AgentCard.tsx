/**
 * One agent on a card: who it is, what it does now, how far its budget and its goals are, what one can tell it.
 */
import { runIcon, stopIcon } from '@jupyterlab/ui-components';
import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { AgentRow, LastRun } from '../../api/types';
import { Commands } from '../../shared/commands';
import { pauseIcon } from '../../shared/icons';
import { fullTime } from '../../shared/time';
import { visible } from '../../shared/untrusted';
import { Button, StateMark } from '../../shared/views/components';
import { useChanges, useNow } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import { barOf, goalWords, type IBar } from '../stores/goals';
import {
  budgetWords,
  lastRunWords,
  nextWords,
  roleWords,
  statusLabel,
  verbsOf
} from '../stores/labels';
import type { AgentVerb } from '../stores/agents';
import { useAgents } from './services';

import '../../../style/agents.css';

/** What a list of agents adds to a card. */
export interface ICardExtras {
  /** Stands after the state's word, instead of the reason. */
  second?: React.ReactNode;
  /** Who must answer its question, where that is somebody else. */
  waitsFor?: string | null;
  /** Below the bars. */
  below?: React.ReactNode;
  /** Further bars. */
  bars?: React.ReactNode;
  /** Shown before and after the agent's commands. */
  first?: React.ReactNode;
  last?: React.ReactNode;
  blockedBecause?: (verb: AgentVerb) => string | null;
  /** Shows a run of the agent. */
  openRun?: (id: string) => void;
  /** Of its buttons, where one card of a list is the stop of the Tab key. */
  tabIndex?: number;
}

/** Below an `AgentContext`. `inert`: without commands. */
export function AgentCard(props: {
  agent: AgentRow;
  inert?: boolean;
  extras?: ICardExtras;
}): React.ReactElement {
  const { agent, extras, inert } = props;
  const { trans } = useAgents();
  const title = React.useId();
  return (
    <article className="jp-Cabinet-agent" aria-labelledby={title}>
      <Head agent={agent} titleId={title} />
      <Status agent={agent} extras={extras ?? {}} />
      <div className="jp-Cabinet-agent-bars">
        <Bar
          label={trans.__('Budget')}
          words={budgetWords(agent, trans)}
          bar={{ share: agent.budget > 0 ? agent.heartbeats_used / agent.budget : 0, due: null }}
          tone="neutral"
        />
        {extras?.bars}
        <GoalBars agent={agent} />
      </div>
      {extras?.below}
      {!inert && <Actions agent={agent} extras={extras ?? {}} />}
    </article>
  );
}

function Head({ agent, titleId }: { agent: AgentRow; titleId: string }): React.ReactElement {
  const { runtimeTitle } = useAgents();
  return (
    <header className="jp-Cabinet-agent-head">
      <span className="jp-Cabinet-agent-emoji" aria-hidden="true">
        {visible(agent.emoji)}
      </span>
      <span className="jp-Cabinet-agent-who">
        <h3 id={titleId} className="jp-Cabinet-agent-name">
          <Untrusted text={agent.name} />
        </h3>
        <Untrusted
          className="jp-Cabinet-agent-role"
          text={roleWords(agent, runtimeTitle(agent.runtime))}
        />
      </span>
    </header>
  );
}

function Status(props: { agent: AgentRow; extras: ICardExtras }): React.ReactElement {
  const { agent, extras } = props;
  const { second, waitsFor } = extras;
  const { trans } = useAgents();
  const now = useNow(agent.next_heartbeat !== null);
  const { icon, label } = statusLabel(agent.status, trans);
  const next = nextWords(agent, now, trans);
  return (
    <>
      <div className="jp-Cabinet-agent-status">
        <StateMark icon={icon} />
        <strong>{waitsFor ? trans.__('Waiting for %1', visible(waitsFor)) : label}</strong>
        {second ?? (agent.reason && <Untrusted className="jp-Cabinet-quiet" text={agent.reason} />)}
      </div>
      <div className="jp-Cabinet-quiet">
        {next ? trans.__('Next heartbeat %1', next) : trans.__('No heartbeat planned')}
      </div>
      {agent.last_run && <LastRunLine last={agent.last_run} extras={extras} />}
    </>
  );
}

/** What its newest run came to. */
function LastRunLine(props: { last: LastRun; extras: ICardExtras }): React.ReactElement {
  const { extras, last } = props;
  const { trans } = useAgents();
  const { icon, summary, text } = lastRunWords(last, useNow(true), trans);
  const { openRun } = extras;
  return (
    <div className="jp-Cabinet-agent-last">
      <StateMark icon={icon} />
      {openRun ? (
        <button
          type="button"
          className="jp-Cabinet-agent-last-link"
          tabIndex={extras.tabIndex}
          title={fullTime(last.at)}
          aria-label={trans.__('Show the last run: %1', summary)}
          onClick={() => openRun(last.id)}
        >
          {summary}
        </button>
      ) : (
        <span title={fullTime(last.at)}>{summary}</span>
      )}
      {text && <Untrusted className="jp-Cabinet-agent-last-text" text={text} />}
    </div>
  );
}

export function GoalBars({ agent }: { agent: AgentRow }): React.ReactElement {
  const { trans } = useAgents();
  const now = new Date(); // a day is long
  return (
    <>
      {agent.goals.map(goal => (
        <Bar
          key={goal.metric}
          label={visible(goal.metric)}
          words={visible(goalWords(goal, trans))}
          bar={barOf(goal, now)}
          tone={goal.label === 'behind' || goal.label === 'critical' ? 'late' : 'good'}
        />
      ))}
    </>
  );
}

/** `words` say what colour and length show. */
export function Bar(props: {
  label: string;
  words: string;
  bar: IBar;
  tone: 'neutral' | 'good' | 'late';
}): React.ReactElement {
  const { label, words, bar } = props;
  const percent = (share: number) => `${Math.round(Math.min(1, share) * 100)}%`;
  return (
    <>
      <span className="jp-Cabinet-agent-label" title={label}>
        {label}
      </span>
      <span
        className={`jp-Cabinet-meter jp-mod-${props.tone}`}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(Math.min(1, bar.share) * 100)}
        aria-valuetext={words}
      >
        <span className="jp-Cabinet-meter-bar" style={{ width: percent(bar.share) }} />
        {bar.due !== null && (
          <span className="jp-Cabinet-meter-due" style={{ left: percent(bar.due) }} />
        )}
      </span>
      <span className="jp-Cabinet-agent-words">{words}</span>
    </>
  );
}

export const ICONS: Readonly<Record<AgentVerb, LabIcon>> = {
  run: runIcon,
  pause: pauseIcon,
  resume: runIcon,
  stop: stopIcon
};

function Actions(props: { agent: AgentRow; extras: ICardExtras }): React.ReactElement | null {
  const { agent, extras } = props;
  const { tabIndex } = extras;
  const { agents, connection, run, trans } = useAgents();
  useChanges(agents.changed, connection.changed);
  const refusal = agents.refusal(agent.slug);
  const labels: Record<AgentVerb, string> = {
    run: trans.__('Run now'),
    pause: trans.__('Pause'),
    resume: trans.__('Resume'),
    stop: trans.__('Stop')
  };
  if (!connection.mayRun && !extras.last) {
    return null;
  }
  return (
    <>
      {refusal && (
        <div role="status" className="jp-Cabinet-agent-refusal">
          <Untrusted text={refusal} />
        </div>
      )}
      <div className="jp-Cabinet-agent-actions">
        {extras.first}
        {agent.status === 'waiting' && connection.mayRun && !extras.waitsFor && (
          <Button
            filled
            tabIndex={tabIndex}
            label={trans.__('Answer')}
            onClick={() => run(Commands.approvals)}
          />
        )}
        {agent.status === 'unconfirmed' && !extras.first && (
          <Button label={trans.__('Confirm…')} onClick={() => run(Commands.confirmAgents)} />
        )}
        {(connection.mayRun ? verbsOf(agent) : []).map(verb => (
          <Button
            key={verb}
            icon={ICONS[verb]}
            label={labels[verb]}
            disabled={!extras.blockedBecause && !connection.online}
            blocked={extras.blockedBecause?.(verb)}
            tabIndex={tabIndex}
            busy={agents.isBusy(agent.slug)}
            onClick={() => void agents.tellAgent(agent.slug, verb)}
          />
        ))}
        {extras.last}
      </div>
    </>
  );
}
