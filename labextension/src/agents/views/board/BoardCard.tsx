/**
 * One agent in the list: its card, with what only the list knows, and what the person may do.
 */
import { editIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { AgentRow } from '../../../api/types';
import { CurrentStep } from '../../../runs/views';
import { Commands, JUPYTER_TERMINAL } from '../../../shared/commands';
import { errorDiscIcon } from '../../../shared/icons';
import { terminalIcon } from '../../../shared/icons/start';
import { visible } from '../../../shared/untrusted';
import { Button, Icon } from '../../../shared/views/components';
import { useChanges, useKnownTime } from '../../../shared/views/hooks';
import { Untrusted } from '../../../shared/views/Untrusted';
import { costWords, obstacles, runWords } from '../../stores/boardWords';
import { blockedBecause, waitsFor } from '../../stores/rights';
import { AgentCard, Bar } from '../AgentCard';
import { MoreActions } from '../MoreActions';
import { situationOf, useAgent } from '../services';
import { runtimeOf, useBoard } from './services';

/** Below a `BoardContext` and an `AgentContext`. */
export function BoardCard(props: { agent: AgentRow; tabIndex: number }): React.ReactElement {
  const { agent, tabIndex } = props;
  const services = useBoard();
  const { trans } = services;
  const { approvals, connection, has, run: execute, runs, workSwitch } = services;
  useChanges(connection.changed, workSwitch.changed, approvals.changed, runs.changed);
  const situation = situationOf(services);
  const run = runs.get(agent.run_id ?? '');
  return (
    <AgentCard
      agent={agent}
      extras={{
        second: <Second agent={agent} />,
        waitsFor: waitsFor(agent, approvals.waitingOf(agent.run_id ?? ''), situation),
        bars: agent.cost_today_usd > 0 && (
          <Bar
            label={trans.__('Cost today')}
            words={costWords(agent, trans)}
            bar={{
              share: agent.daily_cost_usd ? agent.cost_today_usd / agent.daily_cost_usd : 0,
              due: null
            }}
            tone="neutral"
          />
        ),
        below: <Below agent={agent} />,
        first: <First agent={agent} tabIndex={tabIndex} />,
        last: <Last agent={agent} tabIndex={tabIndex} />,
        openRun: has(Commands.openAgent)
          ? id => execute(Commands.openAgent, { agent: agent.slug, tab: 'history', run: id })
          : undefined,
        blockedBecause: verb => blockedBecause(verb, agent, run, situation, trans),
        tabIndex
      }}
    />
  );
}

/** What stands after the state's word. */
function Second({ agent }: { agent: AgentRow }): React.ReactElement {
  const { approvals, connection, runs, trans } = useBoard();
  useChanges(runs.changed, approvals.changed);
  const now = useKnownTime(connection, agent.run_id !== null);
  if (agent.run_id !== null) {
    const run = runs.get(agent.run_id);
    const words = runWords(run, approvals.waitingOf(agent.run_id).length, now, trans);
    return (
      <>
        <span className="jp-Cabinet-quiet">{words}</span>
        <CurrentStep run={run} runs={runs} trans={trans} />
      </>
    );
  }
  const isListed = agent.status === 'out_of_service' || agent.status === 'unconfirmed';
  return (
    <Untrusted
      className="jp-Cabinet-quiet"
      text={isListed ? trans.__('.agents/%1', agent.slug) : agent.reason}
    />
  );
}

/** Why it cannot act, in full; that its CLI is not logged in. */
function Below({ agent }: { agent: AgentRow }): React.ReactElement | null {
  const services = useBoard();
  const { agents, runtimes, trans } = services;
  useChanges(runtimes.changed);
  const isStuck = agent.status === 'out_of_service' || agent.status === 'unconfirmed';
  const detail = useAgent(agents, isStuck ? agent.slug : null);
  const runtime = runtimeOf(services, agent);
  if (isStuck) {
    const lines = detail ? obstacles(detail, trans) : [agent.reason];
    return (
      <div className="jp-Cabinet-agent-obstacles">
        {agent.status === 'unconfirmed' && (
          <p>{trans.__('It needs confirmation. Until then it does nothing.')}</p>
        )}
        <ul className="jp-Cabinet-code">
          {lines.map(line => (
            <li key={line}>
              <Untrusted text={line} />
            </li>
          ))}
        </ul>
      </div>
    );
  }
  return runtime?.login === 'no' ? (
    <p className="jp-Cabinet-agent-login">
      <Icon icon={errorDiscIcon} />
      <Untrusted
        text={[trans.__('%1 is not logged in.', runtime.title), runtime.login_hint]
          .filter(part => part)
          .join(' ')}
      />
    </p>
  ) : null;
}

/** The command that lets an agent act again. */
function First(props: { agent: AgentRow; tabIndex: number }): React.ReactElement | null {
  const { agent, tabIndex } = props;
  const services = useBoard();
  const { confirm, connection, has, run, trans } = services;
  if (agent.status === 'unconfirmed' && connection.mayRun) {
    return (
      <Button
        label={trans.__('Confirm…')}
        tabIndex={tabIndex}
        blocked={blockedBecause('confirm', agent, undefined, situationOf(services), trans)}
        onClick={() => confirm(agent.slug)}
      />
    );
  }
  return agent.status === 'out_of_service' && has(Commands.openAgent) ? (
    <Button
      icon={editIcon}
      label={trans.__('Edit persona')}
      tabIndex={tabIndex}
      onClick={() => run(Commands.openAgent, { agent: agent.slug, tab: 'persona' })}
    />
  ) : null;
}

function Last(props: { agent: AgentRow; tabIndex: number }): React.ReactElement {
  const { agent, tabIndex } = props;
  const services = useBoard();
  const { has, run, trans } = services;
  return (
    <>
      {runtimeOf(services, agent)?.login === 'no' && has(JUPYTER_TERMINAL) && (
        <Button
          icon={terminalIcon}
          label={trans.__('Log in')}
          tabIndex={tabIndex}
          onClick={() => run(JUPYTER_TERMINAL)}
        />
      )}
      <span className="jp-Cabinet-spring" />
      <MoreActions agent={agent} tabIndex={tabIndex} />
      {has(Commands.openAgent) && (
        <Button
          className="jp-Cabinet-agent-open"
          label={trans.__('Open')}
          title={trans.__('Open %1', visible(agent.name))}
          tabIndex={tabIndex}
          onClick={() => run(Commands.openAgent, { agent: agent.slug })}
        />
      )}
    </>
  );
}
