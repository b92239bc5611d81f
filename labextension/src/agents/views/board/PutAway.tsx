/**
 * The archived and deleted agents of the person, below the others, each with what brings it back.
 */
import * as React from 'react';

import { AgentCommands } from '../../../shared/lateCommands';
import { fullTime, when } from '../../../shared/time';
import { visible } from '../../../shared/untrusted';
import { Button } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import type { IPutAway } from '../../stores/agents';
import { putAwayWord } from '../../stores/removalWords';
import { whyNot } from '../../stores/rights';
import { isFocusLost } from '../parts';
import { situationOf } from '../services';
import { useBoard } from './services';

/** More of them are in the trash for longer than anybody wants to look through. */
const MOST_SHOWN = 100;

/** Below a `BoardContext`. Shows nothing if there are none. */
export function PutAway(): React.ReactElement | null {
  const { agents, trans } = useBoard();
  useChanges(agents.changed);
  const { putAway } = agents;
  const list = React.useRef<HTMLDetailsElement>(null);
  const board = React.useRef<HTMLElement | null>(null);
  const hadFocus = React.useRef(false);
  const given = React.useRef<HTMLElement | null>(null);
  React.useEffect(() => {
    board.current = list.current?.parentElement ?? board.current;
    // The row that had the focus is gone, or what got it then: an empty board, before the restored agent was in it.
    const isOurs = hadFocus.current || given.current?.isConnected === false;
    if (!isOurs || !isFocusLost()) {
      return;
    }
    hadFocus.current = false;
    const next = list.current ?? board.current;
    given.current =
      next?.querySelector<HTMLElement>('li button, summary, [data-first-focus]') ?? null;
    given.current?.focus();
  });
  if (!putAway.length) {
    return null;
  }
  const rest = putAway.length - MOST_SHOWN;
  return (
    <details
      ref={list}
      className="jp-Cabinet-put-away"
      onFocus={() => (hadFocus.current = true)}
      onBlur={({ relatedTarget }) => (hadFocus.current = relatedTarget === null)}
    >
      <summary>{trans.__('Archived and deleted agents (%1)', putAway.length)}</summary>
      <ul aria-label={trans.__('Archived and deleted agents')}>
        {putAway.slice(0, MOST_SHOWN).map(each => (
          <Row key={each.name} agent={each} />
        ))}
      </ul>
      {rest > 0 && (
        <p className="jp-Cabinet-quiet">
          {trans._n(
            '%1 more archived or deleted agent is in .agents/.archive or .agents/.trash.',
            '%1 more archived or deleted agents are in .agents/.archive or .agents/.trash.',
            rest
          )}
        </p>
      )}
    </details>
  );
}

function Row({ agent }: { agent: IPutAway }): React.ReactElement {
  const services = useBoard();
  const { connection, run, trans } = services;
  useChanges(connection.changed);
  const name = visible(agent.agent_name);
  return (
    <li>
      <span className="jp-Cabinet-put-away-name">{name}</span>
      <span className="jp-Cabinet-quiet" title={fullTime(agent.at)}>
        {trans.__('%1 %2', putAwayWord(agent, trans), when(agent.at, new Date(), trans))}
      </span>
      <span className="jp-Cabinet-spring" />
      <Button
        label={trans.__('Restore')}
        title={trans.__('Restore %1', name)}
        blocked={whyNot(null, situationOf(services), trans)}
        onClick={() => run(AgentCommands.restore, { name: agent.name })}
      />
    </li>
  );
}
