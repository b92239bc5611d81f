/**
 * All agents: what they have cost, whether they may work at all, and a card for each.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { errorDiscIcon, eyeIcon, warningIcon } from '../../../shared/icons';
import { AllPaused } from '../../../runs/views';
import { AgentCommands } from '../../../shared/lateCommands';
import { visible } from '../../../shared/untrusted';
import { Button, Card, Icon, Strip } from '../../../shared/views/components';
import { useChanges, useNow } from '../../../shared/views/hooks';
import { Loading } from '../../../shared/views/Loading';
import { OfflineStrip } from '../../../shared/views/OfflineStrip';
import { countWords, dayCostWords, idleStopWords } from '../../stores/boardWords';
import { whyNotPauseAll } from '../../stores/rights';
import { BoardTools } from './BoardTools';
import { CardGrid } from './CardGrid';
import { NewAgentDialog } from './NewAgentDialog';
import { PutAway } from './PutAway';
import { turnWork } from './turnWork';
import { type IBoardServices, useBoard } from './services';
import { Templates } from './Templates';

/** Below a `BoardContext` and an `AgentContext`. */
export function AgentsBoard(): React.ReactElement {
  const { agents, asked, board } = useBoard();
  React.useEffect(() => agents.watchAll(), [agents]);
  useChanges(board.changed, asked.changed);
  const setTemplate = (template: string | null) => asked.ask(template);
  const { template } = asked;
  return (
    <>
      <div className="jp-Cabinet-board">
        <Header onNew={() => setTemplate('')} />
        <Strips />
        <Body onTemplate={setTemplate} />
        <PutAway />
        <Spoken />
      </div>
      {template !== null && (
        <NewAgentDialog template={template} onClose={() => setTemplate(null)} />
      )}
    </>
  );
}

function Header({ onNew }: { onNew: () => void }): React.ReactElement {
  const { board, connection, run, trans } = useBoard();
  useChanges(connection.changed);
  const rows = board.all;
  return (
    <header className="jp-Cabinet-board-header">
      <h2>{trans.__('Agents')}</h2>
      {rows && <span className="jp-Cabinet-quiet">{countWords(rows.length, trans)}</span>}
      <span className="jp-Cabinet-spring" />
      {rows && (
        <span
          className="jp-Cabinet-quiet jp-Cabinet-board-cost"
          title={trans.__(
            'Cost that the agents’ CLIs have reported, out of the sum of their limits'
          )}
        >
          {dayCostWords(rows, trans)}
        </span>
      )}
      <PauseAll />
      {connection.mayRun && (
        <Button
          label={trans.__('Import…')}
          title={trans.__('Add an agent from a file that another server has exported')}
          blocked={connection.online ? null : trans.__('The server cannot be reached.')}
          onClick={() => run(AgentCommands.import)}
        />
      )}
      {connection.mayRun && (
        <Button
          filled
          icon={addIcon}
          label={trans.__('New agent')}
          blocked={connection.online ? null : trans.__('The server cannot be reached.')}
          onClick={onNew}
        />
      )}
    </header>
  );
}

/** Absent for those who may not see whether work is paused. */
function PauseAll(): React.ReactElement | null {
  const services = useBoard();
  const { connection, trans, workSwitch } = services;
  useChanges(connection.changed, workSwitch.changed);
  if (!workSwitch.state || !connection.mayRun) {
    return null;
  }
  const { paused } = workSwitch;
  const why = whyNotPauseAll(connection, trans);
  return (
    <button
      type="button"
      role="switch"
      className="jp-Cabinet-switch"
      aria-checked={paused}
      aria-disabled={why !== null || workSwitch.isBusy || undefined}
      aria-description={why ?? undefined}
      title={why ?? trans.__('No new runs will start. Active runs continue.')}
      onClick={() => why === null && void turnWork(services, !paused)}
    >
      <span className="jp-Cabinet-switch-track" aria-hidden="true" />
      {trans.__('Pause all')}
    </button>
  );
}

function Strips(): React.ReactElement {
  const services = useBoard();
  const { agents, board, confirmRoot, connection, runs, trans, workSwitch } = services;
  useChanges(connection.changed, workSwitch.changed);
  const { health } = connection;
  return (
    <>
      <OfflineStrip connection={connection} trans={trans} />
      {health && !connection.mayRun && (
        <Strip icon={<Icon icon={eyeIcon} />}>{trans.__('View only')}</Strip>
      )}
      {health && !health.trusted && (
        <Strip
          tone="warning"
          icon={<Icon icon={warningIcon} />}
          actions={
            connection.mayRun && (
              <Button label={trans.__('Confirm folder…')} onClick={confirmRoot} />
            )
          }
        >
          {trans.__('This folder is not trusted yet. No agent runs in it until you confirm it.')}
        </Strip>
      )}
      <AllPaused
        connection={connection}
        runs={runs}
        workSwitch={workSwitch}
        trans={trans}
        actions={
          connection.mayRun && (
            <Button
              label={trans.__('Resume all')}
              busy={workSwitch.isBusy}
              blocked={whyNotPauseAll(connection, trans)}
              onClick={event => void resumeAll(services, event.currentTarget)}
            />
          )
        }
      />
      {!workSwitch.paused && <IdleStop />}
      {workSwitch.refusal !== null && (
        <Strip tone="warning" icon={<Icon icon={errorDiscIcon} />}>
          <span role="alert">{visible(workSwitch.refusal)}</span>
        </Strip>
      )}
      {board.all !== null &&
        agents.oddities.map(text => (
          <Strip key={text} tone="warning" icon={<Icon icon={warningIcon} />}>
            {visible(text)}
          </Strip>
        ))}
    </>
  );
}

/** The button is gone with its strip: the focus goes to the switch that pauses again. */
async function resumeAll(services: IBoardServices, button: HTMLElement): Promise<void> {
  const board = button.closest('.jp-Cabinet-board');
  await turnWork(services, false);
  const isLeft = ![button, document.body].includes(document.activeElement as HTMLElement);
  if (!isLeft && !services.workSwitch.paused) {
    board?.querySelector<HTMLElement>('.jp-Cabinet-switch')?.focus();
  }
}

/** That the server will have stopped by itself when a heartbeat is due. */
function IdleStop(): React.ReactElement | null {
  const { board, connection, trans } = useBoard();
  const seconds = connection.health?.idle_stop_seconds ?? null;
  const now = useNow(seconds !== null);
  const words = idleStopWords(board.all ?? [], seconds, now, trans);
  return words === null ? null : (
    <Strip tone="warning" icon={<Icon icon={warningIcon} />}>
      {visible(words)}
    </Strip>
  );
}

function Body({ onTemplate }: { onTemplate: (name: string) => void }): React.ReactElement {
  const { agents, board, trans } = useBoard();
  const rows = board.all;
  if (rows === null) {
    return agents.listProblem === 'forbidden' ? (
      <Card title={trans.__('You do not have permission to view agents')}>
        {trans.__('Ask the owner of this server for permission.')}
      </Card>
    ) : agents.listProblem ? (
      <Card
        icon={<Icon icon={errorDiscIcon} />}
        title={trans.__('Could not load the agents')}
        actions={<Button label={trans.__('Try again')} onClick={() => void agents.readAll()} />}
      />
    ) : (
      <Loading label={trans.__('Loading agents')} />
    );
  }
  if (!rows.length) {
    return <Templates onUse={onTemplate} />;
  }
  const { shown } = board;
  const everything = { filter: 'all', search: '', department: '', tag: '' } as const;
  return (
    <>
      <BoardTools />
      {shown.length ? (
        <CardGrid agents={shown} />
      ) : (
        <Card
          title={trans.__('No matching agents')}
          actions={
            <Button label={trans.__('Show all agents')} onClick={() => board.want(everything)} />
          }
        >
          {trans.__('No agents match your filter and search.')}
        </Card>
      )}
    </>
  );
}

/** How many are shown, when somebody has filtered; and that everything is paused. */
function Spoken(): React.ReactElement {
  const { board, trans, workSwitch } = useBoard();
  useChanges(workSwitch.changed);
  const count = board.shown.length;
  const paused = workSwitch.paused
    ? trans.__('All agents are paused by %1.', visible(workSwitch.state!.by))
    : '';
  return (
    <div className="jp-Cabinet-spoken" role="status" aria-live="polite">
      {paused} {board.all ? trans._n('%1 agent shown.', '%1 agents shown.', count) : ''}
    </div>
  );
}
