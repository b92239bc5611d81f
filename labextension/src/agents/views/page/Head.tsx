/**
 * Who the agent is, what it does now, and what one can tell it.
 */
import * as React from 'react';

import type { AgentDetail } from '../../../api/types';
import { visible } from '../../../shared/untrusted';
import { StateMark } from '../../../shared/views/components';
import { useChanges, useNow } from '../../../shared/views/hooks';
import { Untrusted } from '../../../shared/views/Untrusted';
import { cost } from '../../../runs';
import { CurrentStep } from '../../../runs/views';
import type { AgentVerb } from '../../stores/agents';
import { budgetWords, nextWords, roleWords, statusLabel, unfit } from '../../stores/labels';
import { blockedBecause, waitsFor } from '../../stores/rights';
import { ICONS } from '../AgentCard';
import { MoreActions } from '../MoreActions';
import { situationOf } from '../services';
import { MayButton, Refused } from '../parts';
import { usePage } from './services';

export function Head({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { approvals, connection, page, runtimeTitle, trans } = usePage();
  useChanges(approvals.store.changed, page.runs.changed);
  const asked = approvals.store.waitingOf(agent.run_id ?? '');
  const other = waitsFor(agent, asked, connection);
  const now = useNow(agent.next_heartbeat !== null);
  const { icon, label } = statusLabel(agent.status, trans);
  const next = nextWords(agent, now, trans);
  const role = roleWords(agent, runtimeTitle(agent.runtime));
  const spent = agent.cost_today_usd > 0 ? trans.__('%1 today', cost(agent.cost_today_usd)) : '';
  return (
    <header className="jp-Cabinet-page-head">
      <span className="jp-Cabinet-agent-emoji" aria-hidden="true">
        {visible(agent.emoji)}
      </span>
      <span className="jp-Cabinet-agent-who" title={visible(role)}>
        <h2 className="jp-Cabinet-page-name">
          <Untrusted text={agent.name} />
        </h2>
        <Untrusted className="jp-Cabinet-agent-role" text={role} />
      </span>
      <span className="jp-Cabinet-page-state">
        <StateMark icon={icon} />
        <strong>{other === null ? label : trans.__('Waiting for %1', visible(other))}</strong>
        {agent.reason && agent.errors.length === 0 && (
          <Untrusted className="jp-Cabinet-quiet" text={agent.reason} />
        )}
        <CurrentStep run={page.runs.get(agent.run_id ?? '')} runs={page.runs} trans={trans} />
        {next && <span className="jp-Cabinet-quiet">{trans.__('Next heartbeat %1', next)}</span>}
      </span>
      <span className="jp-Cabinet-page-spent jp-Cabinet-quiet">
        {[budgetWords(agent, trans), spent].filter(part => part).join(', ')}
      </span>
      <Actions agent={agent} />
    </header>
  );
}

/** The buttons never move; those that do not apply now are disabled and say why. */
function Actions({ agent }: { agent: AgentDetail }): React.ReactElement {
  const services = usePage();
  const { agents, connection, page, trans, workSwitch } = services;
  useChanges(agents.changed, connection.changed, page.runs.changed, workSwitch.changed);
  const situation = situationOf(services);
  const run = page.runs.get(agent.run_id ?? '');
  const labels: Record<AgentVerb, string> = {
    run: trans.__('Run now'),
    stop: trans.__('Stop'),
    pause: trans.__('Pause'),
    resume: trans.__('Resume')
  };
  const verbs: AgentVerb[] = ['run', 'stop', agent.status === 'paused' ? 'resume' : 'pause'];
  return (
    <span className="jp-Cabinet-page-actions" role="group" aria-label={trans.__('Tell the agent')}>
      <Refused text={agents.refusal(agent.slug)} />
      {verbs.map(verb => (
        <MayButton
          key={verb === 'resume' ? 'pause' : verb}
          icon={ICONS[verb]}
          label={labels[verb]}
          whyNot={blockedBecause(verb, agent, run, situation, trans) ?? unfit(verb, agent, trans)}
          busy={agents.isBusy(agent.slug)}
          onClick={() => void agents.tellAgent(agent.slug, verb)}
        />
      ))}
      <MoreActions agent={agent} />
    </span>
  );
}
