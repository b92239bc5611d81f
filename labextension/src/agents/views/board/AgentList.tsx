/**
 * The agents in the left sidebar, each in a row with its state; it leads to their cards and pages.
 */
import * as React from 'react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';

import type { AgentRow } from '../../../api/types';
import { Commands } from '../../../shared/commands';
import { pauseIcon } from '../../../shared/icons';
import { visible } from '../../../shared/untrusted';
import { Button, Card, Icon, StateMark, Strip } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Loading } from '../../../shared/views/Loading';
import { OfflineStrip } from '../../../shared/views/OfflineStrip';
import { FILTERS, type Filter } from '../../stores/arranging';
import { filterLabel } from '../../stores/boardWords';
import { statusLabel } from '../../stores/labels';
import { useBoard } from './services';

/** Below a `BoardContext`. */
export function AgentList(): React.ReactElement {
  const { agents, board, connection, run, trans, workSwitch } = useBoard();
  React.useEffect(() => agents.watchAll(), [agents]);
  useChanges(board.changed, connection.changed, workSwitch.changed);
  const { counts } = board;
  const some = FILTERS.filter(filter => filter !== 'all' && counts[filter]);
  return (
    <div className="jp-Cabinet-agent-list">
      <header className="jp-Cabinet-board-header">
        <h2>{trans.__('Agents')}</h2>
        <span className="jp-Cabinet-spring" />
        <Button
          label={trans.__('Dashboard')}
          title={trans.__('Show the cards of all agents')}
          onClick={() => run(Commands.agents)}
        />
      </header>
      <OfflineStrip connection={connection} trans={trans} />
      {workSwitch.paused && (
        <Strip tone="warning" icon={<Icon icon={pauseIcon} />}>
          {trans.__('All agents are paused by %1.', visible(workSwitch.state!.by))}
        </Strip>
      )}
      {some.length > 0 && (
        <div
          className="jp-Cabinet-agent-counts"
          role="group"
          aria-label={trans.__('Show in the dashboard')}
        >
          {some.map(filter => (
            <Button
              key={filter}
              link
              label={`${filterLabel(filter, trans)} ${counts[filter]}`}
              onClick={() => show(filter)}
            />
          ))}
        </div>
      )}
      <Rows />
    </div>
  );

  function show(filter: Filter): void {
    board.want({ filter, search: '', department: '', tag: '' });
    run(Commands.agents);
  }
}

function Rows(): React.ReactElement {
  const { agents, board, has, run, trans } = useBoard();
  const list = React.useRef<VirtuosoHandle>(null);
  const [chosen, choose] = React.useState(0);
  const rows = board.sorted;
  if (rows === null) {
    return agents.listProblem && agents.listProblem !== 'offline' ? (
      <Card title={trans.__('Could not load the agents')} />
    ) : (
      <Loading label={trans.__('Loading agents')} />
    );
  }
  if (!rows.length) {
    return (
      <Card
        title={trans.__('No agents in this workspace')}
        actions={
          <Button label={trans.__('Choose a template')} onClick={() => run(Commands.agents)} />
        }
      />
    );
  }
  const place = Math.min(chosen, rows.length - 1);
  const open = (agent: AgentRow) => {
    if (has(Commands.openAgent)) {
      run(Commands.openAgent, { agent: agent.slug });
    } else {
      board.want({ filter: 'all', search: agent.slug, department: '', tag: '' });
      run(Commands.agents);
    }
  };
  const onKeyDown = (event: React.KeyboardEvent<HTMLElement>) => {
    const next = {
      ArrowDown: Math.min(rows.length - 1, place + 1),
      ArrowUp: Math.max(0, place - 1),
      Home: 0,
      End: rows.length - 1
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      choose(next);
      const root = event.currentTarget;
      list.current?.scrollIntoView({
        index: next,
        done: () => root.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus()
      });
    }
  };
  return (
    <div className="jp-Cabinet-agent-rows" onKeyDown={onKeyDown}>
      <Virtuoso
        ref={list}
        role="list"
        aria-label={trans.__('Agents')}
        tabIndex={-1}
        totalCount={rows.length}
        computeItemKey={index => rows[index]?.slug ?? index}
        itemContent={index => {
          const agent = rows[index];
          const { icon, label } = statusLabel(agent.status, trans);
          return (
            <div role="listitem" aria-setsize={rows.length} aria-posinset={index + 1}>
              <button
                type="button"
                className="jp-Cabinet-row-button jp-Cabinet-agent-row"
                data-row={index}
                tabIndex={index === place ? 0 : -1}
                onFocus={() => choose(index)}
                onClick={() => open(agent)}
              >
                <span className="jp-Cabinet-agent-emoji" aria-hidden="true">
                  {visible(agent.emoji)}
                </span>
                <span className="jp-Cabinet-agent-row-name">{visible(agent.name)}</span>
                <StateMark icon={icon} />
                <span className="jp-Cabinet-agent-row-state">{label}</span>
              </button>
            </div>
          );
        }}
      />
    </div>
  );
}
