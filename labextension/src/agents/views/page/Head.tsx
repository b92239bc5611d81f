/**
 * Who the agent is, what it does now, and what one can tell it.
 */
import { runIcon, stopIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { AgentDetail } from '../../../api/types';
import { pauseIcon } from '../../../shared/icons';
import { visible } from '../../../shared/untrusted';
import { StateMark } from '../../../shared/views/components';
import { useChanges, useNow } from '../../../shared/views/hooks';
import { Untrusted } from '../../../shared/views/Untrusted';
import { cost } from '../../../runs';
import type { AgentVerb } from '../../stores/agents';
import { budgetWords, nextWords, roleWords, statusLabel, verbsOf } from '../../stores/labels';
import { MayButton, Refused } from '../parts';
import { usePage, useWhyNot } from './services';

export function Head({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { runtimeTitle, trans } = usePage();
  const now = useNow(agent.next_heartbeat !== null);
  const { icon, label } = statusLabel(agent.status, trans);
  const next = nextWords(agent, now, trans);
  const spent = agent.cost_today_usd > 0 ? trans.__('%1 today', cost(agent.cost_today_usd)) : '';
  return (
    <header className="jp-Cabinet-page-head">
      <span className="jp-Cabinet-agent-emoji" aria-hidden="true">
        {visible(agent.emoji)}
      </span>
      <span className="jp-Cabinet-agent-who">
        <h2 className="jp-Cabinet-page-name">
          <Untrusted text={agent.name} />
        </h2>
        <Untrusted
          className="jp-Cabinet-agent-role"
          text={roleWords(agent, runtimeTitle(agent.runtime))}
        />
      </span>
      <span className="jp-Cabinet-page-state">
        <StateMark icon={icon} />
        <strong>{label}</strong>
        {agent.reason && agent.errors.length === 0 && (
          <Untrusted className="jp-Cabinet-quiet" text={agent.reason} />
        )}
        {next && <span className="jp-Cabinet-quiet">{trans.__('Next heartbeat %1', next)}</span>}
      </span>
      <span className="jp-Cabinet-page-spent jp-Cabinet-quiet">
        {[budgetWords(agent, trans), spent].filter(part => part).join(', ')}
      </span>
      <Actions agent={agent} />
    </header>
  );
}

/** All of them stand at their place always; what cannot be told now is off and says why. */
function Actions({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { agents, trans } = usePage();
  useChanges(agents.changed);
  const [whyNotRun, whyNotPause] = [useWhyNot(), useWhyNot(agent.owner)];
  const verbs = verbsOf(agent);
  const { label } = statusLabel(agent.status, trans);
  const isPaused = agent.status === 'paused';
  const tell = (verb: AgentVerb) => () => void agents.tellAgent(agent.slug, verb);
  const fits = (verb: AgentVerb) =>
    verbs.includes(verb) ? null : trans.__('Not while it is in the state “%1”.', label);
  const busy = agents.isBusy(agent.slug);
  return (
    <span className="jp-Cabinet-page-actions" role="group" aria-label={trans.__('Tell the agent')}>
      <Refused text={agents.refusal(agent.slug)} />
      <MayButton
        icon={runIcon}
        label={trans.__('Run now')}
        whyNot={whyNotRun ?? fits('run')}
        busy={busy}
        onClick={tell('run')}
      />
      <MayButton
        icon={stopIcon}
        label={trans.__('Stop')}
        whyNot={whyNotRun ?? fits('stop')}
        busy={busy}
        onClick={tell('stop')}
      />
      <MayButton
        icon={isPaused ? runIcon : pauseIcon}
        label={isPaused ? trans.__('Resume') : trans.__('Pause')}
        whyNot={whyNotPause ?? fits(isPaused ? 'resume' : 'pause')}
        busy={busy}
        onClick={tell(isPaused ? 'resume' : 'pause')}
      />
    </span>
  );
}
