/**
 * What the agent does now, what it has done last, how far its goals are, what it has to do.
 */
import { terminalIcon } from '../../../shared/icons/start';
import * as React from 'react';

import type { AgentDetail, Run } from '../../../api/types';
import { isFinal, startedBy } from '../../../runs';
import { EventsPane, RunState } from '../../../runs/views';
import { Commands } from '../../../shared/commands';
import { visible } from '../../../shared/untrusted';
import { Button } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Untrusted } from '../../../shared/views/Untrusted';
import { kindWord, taskWord } from '../../stores/page/words';
import { GoalBars } from '../AgentCard';
import { RunRow } from './History';
import { Nothing, Section } from '../parts';
import { usePage } from './services';

const LATEST = 8;

export function Overview(props: {
  agent: AgentDetail;
  onRun: (id: string) => void;
}): React.ReactElement {
  const { agent, onRun } = props;
  const { page, trans } = usePage();
  const { latest } = page;
  useChanges(latest.changed, page.runs.changed);
  const live = (agent.run_id && page.runs.get(agent.run_id)) || null;
  const rows = latest.rows.filter(run => run.id !== live?.id).slice(0, LATEST);
  return (
    <div className="jp-Cabinet-page-overview">
      <div className="jp-Cabinet-page-main">
        {live && !isFinal(live) && <LiveRun run={live} onRun={onRun} />}
        <Section title={trans.__('Latest runs')}>
          {latest.isRead && rows.length === 0 && (
            <Nothing>
              {live
                ? trans.__('This is its first run.')
                : trans.__('It has not run yet. “Run now” starts a heartbeat.')}
            </Nothing>
          )}
          <ul className="jp-Cabinet-plain-list" aria-label={trans.__('Latest runs')}>
            {rows.map(run => (
              <RunRow key={run.id} run={run} isCurrent={false} onRun={onRun} />
            ))}
          </ul>
        </Section>
      </div>
      <div className="jp-Cabinet-page-side">
        <Section title={trans.__('Goals')}>
          {agent.goals.length === 0 && (
            <Nothing>{trans.__('No goals yet. Add goals on the Persona tab.')}</Nothing>
          )}
          <div className="jp-Cabinet-agent-bars">
            <GoalBars agent={agent} />
          </div>
        </Section>
        <OpenTasks />
      </div>
    </div>
  );
}

/** The run that works now, as the sidebar draws it. */
function LiveRun(props: { run: Run; onRun: (id: string) => void }): React.ReactElement {
  const { run } = props;
  const { connection, outputs, rendermime, run: execute, trans } = usePage();
  const by = startedBy(run, connection.username, trans);
  const { terminal_id: terminalId } = run;
  return (
    <Section
      title={trans.__('Current run')}
      note={visible([kindWord(run.kind, trans), by].join(', '))}
      actions={
        <>
          {terminalId !== null && (
            <Button
              icon={terminalIcon}
              label={trans.__('Open terminal')}
              onClick={() => execute(Commands.openTerminal, { id: terminalId })}
            />
          )}
          <Button label={trans.__('Open run')} onClick={() => props.onRun(run.id)} />
        </>
      }
    >
      <div className="jp-Cabinet-page-live-state">
        <RunState run={run} />
      </div>
      <div className="jp-Cabinet-page-live">
        <EventsPane run={run} outputs={outputs} rendermime={rendermime} />
      </div>
    </Section>
  );
}

function OpenTasks(): React.ReactElement {
  const { page, trans } = usePage();
  useChanges(page.tasks.changed);
  const open = (page.tasks.value?.tasks ?? []).filter(
    ({ status }) => status === 'pending' || status === 'in_progress'
  );
  return (
    <Section title={trans.__('Open tasks')}>
      {page.tasks.value !== null && open.length === 0 && (
        <Nothing>{trans.__('No open tasks. Add one on the Tasks tab.')}</Nothing>
      )}
      <ul className="jp-Cabinet-plain-list" aria-label={trans.__('Open tasks')}>
        {open.map(task => (
          <li key={task.id} className="jp-Cabinet-page-row">
            <span className="jp-Cabinet-quiet">{trans.__('P%1', task.priority)}</span>
            <Untrusted className="jp-Cabinet-page-row-title" text={task.title} />
            <span className="jp-Cabinet-quiet">{taskWord(task.status, trans)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
