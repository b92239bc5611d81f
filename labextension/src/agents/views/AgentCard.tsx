/**
 * One agent on a card: who it is, what it does now, how far its budget and its goals are, what one can tell it.
 */
import { runIcon, stopIcon } from '@jupyterlab/ui-components';
import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { AgentDetail } from '../../api/types';
import { Commands } from '../../shared/commands';
import { pauseIcon } from '../../shared/icons';
import { visible } from '../../shared/untrusted';
import { Button, StateMark } from '../../shared/views/components';
import { useChanges, useNow } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import { barOf, goalWords, type IBar } from '../stores/goals';
import { budgetWords, nextWords, roleWords, statusLabel, verbsOf } from '../stores/labels';
import type { AgentVerb } from '../stores/agents';
import { useAgents } from './services';

import '../../../style/agents.css';

/** Below an `AgentContext`. `inert`: nothing is told to it from here. */
export function AgentCard(props: { agent: AgentDetail; inert?: boolean }): React.ReactElement {
  const { agent, inert } = props;
  const { trans } = useAgents();
  const title = React.useId();
  return (
    <article className="jp-Cabinet-agent" aria-labelledby={title}>
      <Head agent={agent} titleId={title} />
      <Status agent={agent} />
      <div className="jp-Cabinet-agent-bars">
        <Bar
          label={trans.__('Budget')}
          words={budgetWords(agent, trans)}
          bar={{ share: agent.budget > 0 ? agent.heartbeats_used / agent.budget : 0, due: null }}
          tone="neutral"
        />
        <GoalBars agent={agent} />
      </div>
      {!inert && <Actions agent={agent} />}
    </article>
  );
}

function Head({ agent, titleId }: { agent: AgentDetail; titleId: string }): React.ReactElement {
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

function Status({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { trans } = useAgents();
  const now = useNow(agent.next_heartbeat !== null);
  const { icon, label } = statusLabel(agent.status, trans);
  const next = nextWords(agent, now, trans);
  return (
    <>
      <div className="jp-Cabinet-agent-status">
        <StateMark icon={icon} />
        <strong>{label}</strong>
        {agent.reason && <Untrusted className="jp-Cabinet-quiet" text={agent.reason} />}
      </div>
      {next && <div className="jp-Cabinet-quiet">{trans.__('Next heartbeat %1', next)}</div>}
    </>
  );
}

export function GoalBars({ agent }: { agent: AgentDetail }): React.ReactElement {
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
function Bar(props: {
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

const ICONS: Readonly<Record<AgentVerb, LabIcon>> = {
  run: runIcon,
  pause: pauseIcon,
  resume: runIcon,
  stop: stopIcon
};

function Actions({ agent }: { agent: AgentDetail }): React.ReactElement | null {
  const { agents, connection, run, trans } = useAgents();
  useChanges(agents.changed, connection.changed);
  const refusal = agents.refusal(agent.slug);
  const labels: Record<AgentVerb, string> = {
    run: trans.__('Run now'),
    pause: trans.__('Pause'),
    resume: trans.__('Resume'),
    stop: trans.__('Stop')
  };
  if (!connection.mayRun) {
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
        {agent.status === 'waiting' && (
          <Button filled label={trans.__('Answer')} onClick={() => run(Commands.approvals)} />
        )}
        {agent.status === 'unconfirmed' && (
          <Button label={trans.__('Confirm…')} onClick={() => run(Commands.confirmAgents)} />
        )}
        {verbsOf(agent).map(verb => (
          <Button
            key={verb}
            icon={ICONS[verb]}
            label={labels[verb]}
            disabled={!connection.online}
            busy={agents.isBusy(agent.slug)}
            onClick={() => void agents.tellAgent(agent.slug, verb)}
          />
        ))}
      </div>
    </>
  );
}
