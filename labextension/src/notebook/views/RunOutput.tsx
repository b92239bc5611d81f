/**
 * A run in the output of a cell: who works and how far it is, what was sent, the answer with its work folded into it,
 * what it asks, and its outcome.
 */
import { stopIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { useAgent } from '../../agents/views';
import type { Run } from '../../api/types';
import { Asking } from '../../approvals/views';
import { isFinal } from '../../runs';
import { AllPaused, Fold, RunState } from '../../runs/views';
import { Commands } from '../../shared/commands';
import { warningIcon } from '../../shared/icons';
import { terminalIcon } from '../../shared/icons/start';
import { offlineText } from '../../shared/offline';
import { visible } from '../../shared/untrusted';
import { Button, Icon, Strip } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { type IFocusTargets, useKeptFocus } from '../../shared/views/keptFocus';
import { Untrusted } from '../../shared/views/Untrusted';
import type { View } from '../stores/view';
import { ConsentStrip } from './ConsentStrip';
import { RunAnswer } from './RunAnswer';
import { RunEnd } from './RunEnd';
import { NotShown } from './Saved';
import { type IViewProps, useCells } from './services';
import { useRun } from './useRun';

/** The buttons of a question, and *Stop*, are gone once they were pressed: the focus stays in the cell. */
const FOCUS: IFocusTargets = { parts: [], places: [] };

export function RunOutput(props: IViewProps<View & { view: 'run' }>): React.ReactElement {
  const { mayAct, saved, view } = props;
  const { trans } = useCells();
  const { problem, run } = useRun(view.run_id);
  if (run) {
    return (
      <>
        {!mayAct && !isFinal(run) && <ConsentStrip view={view} />}
        <KnownRun run={run} attached={view.attached} mayAct={mayAct} />
      </>
    );
  }
  return (
    <NotShown
      problem={problem}
      saved={saved}
      absent={trans.__('This run is not on this server, or it is private to another person.')}
      forbidden={trans.__('You do not have permission to view this run.')}
      loading={trans.__('Loading the run')}
    />
  );
}

function KnownRun(props: {
  run: Run;
  attached: readonly string[];
  mayAct: boolean;
}): React.ReactElement {
  const { attached, mayAct, run } = props;
  const { connection, runs, spoken, trans, workSwitch } = useCells();
  useChanges(connection.changed);
  React.useEffect(() => spoken.follow(run), [spoken, run.id]);
  const name = useName(run);
  const root = React.useRef<HTMLElement>(null);
  useKeptFocus(root, FOCUS);
  return (
    <article
      ref={root}
      tabIndex={-1}
      className="jp-Cabinet-run-output"
      aria-label={trans.__('Run of %1', name.text)}
      data-run={run.id}
      data-state={run.state}
    >
      <header className="jp-Cabinet-run-line">
        {name.emoji && (
          <span className="jp-Cabinet-run-emoji" aria-hidden="true">
            {name.emoji}
          </span>
        )}
        <strong className="jp-Cabinet-run-name">{name.text}</strong>
        <span className="jp-Cabinet-run-state">
          <RunState run={run} />
        </span>
        <span className="jp-Cabinet-spring" />
        {mayAct && <Actions run={run} />}
      </header>
      <div className="jp-Cabinet-run-body">
        <Sent run={run} attached={attached} />
        {run.state === 'queued' && (
          <AllPaused connection={connection} runs={runs} workSwitch={workSwitch} trans={trans} />
        )}
        {run.state === 'queued' && run.reason && (
          <Untrusted block className="jp-Cabinet-quiet" text={run.reason} />
        )}
        {run.warnings.map((warning, index) => (
          <Strip key={index} tone="warning" icon={<Icon icon={warningIcon} />}>
            <Untrusted text={warning} />
          </Strip>
        ))}
        {run.state !== 'queued' && <RunAnswer run={run} />}
        {!isFinal(run) && <Asking run={run} onAnswer={null} inert={!mayAct} />}
        {isFinal(run) && <RunEnd run={run} inert={!mayAct} />}
        {!connection.online && !isFinal(run) && connection.lastSeen && (
          <p className="jp-Cabinet-quiet">{offlineText(connection, trans)}</p>
        )}
      </div>
    </article>
  );
}

/** The agent’s name, or the CLI’s. */
function useName(run: Run): { text: string; emoji: string } {
  const { agents } = useCells();
  const agent = useAgent(agents, run.agent);
  return agent
    ? { text: visible(agent.name), emoji: visible(agent.emoji) }
    : { text: visible(run.agent ?? run.runtime_title), emoji: '' };
}

function Actions({ run }: { run: Run }): React.ReactElement {
  const { connection, runs, terminals, trans, ...cells } = useCells();
  const [stops, setStops] = React.useState(false);
  const stop = async () => {
    setStops(true);
    try {
      await runs.cancel(run.id);
    } catch (reason) {
      terminals.complain(reason);
    }
    setStops(false);
  };
  const { terminal_id: id } = run;
  return (
    <>
      {id && !isFinal(run) && (
        <Button
          quiet
          icon={terminalIcon}
          label={trans.__('Open terminal')}
          onClick={() => cells.run(Commands.openTerminal, { id })}
        />
      )}
      {connection.mayRun && !isFinal(run) && (
        <Button
          icon={stopIcon}
          label={run.state === 'queued' ? trans.__('Cancel') : trans.__('Stop')}
          disabled={!connection.online}
          busy={stops}
          onClick={() => void stop()}
        />
      )}
    </>
  );
}

const LONGEST_HEAD = 120;

/** "Sent: Cell [3], df (7,990 × 4)", else how the instruction begins. */
function Sent(props: { run: Run; attached: readonly string[] }): React.ReactElement {
  const { attached, run } = props;
  const { trans } = useCells();
  const [first] = run.instruction.trim().split('\n');
  const begin = first.length > LONGEST_HEAD ? `${first.slice(0, LONGEST_HEAD)}…` : first;
  return (
    <Fold
      head={<Untrusted text={trans.__('Sent: %1', attached.join(', ') || begin)} />}
      note=""
      body={[run.instruction.trim(), attached.join('\n')].filter(part => part).join('\n\n')}
    />
  );
}
