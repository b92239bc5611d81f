/**
 * One session: the instruction, its state in one line, and below it the terminal or the events.
 */
import {
  caretLeftIcon,
  caretRightIcon,
  fileIcon,
  lockIcon,
  refreshIcon,
  stopIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Approval, Run } from '../../api/types';
import { warningIcon } from '../../shared/icons';
import { titleText } from '../../approvals';
import { isFinal, isWorking, runLabel, secondText } from '../../runs';
import { CompactCard, ownerOf, useApprovals } from '../../approvals/views';
import { EventsPane } from './EventsPane';
import { Button, Card, Icon, StateMark, Strip, Tabs } from '../../shared/views/components';
import { useChanges, useNow } from '../../shared/views/hooks';
import { useServices } from './services';
import { TerminalPane } from '../../terminal/views';
import { Untrusted } from '../../shared/views/Untrusted';
import { FailedCard, QueuedCard } from './cards';

type Tab = 'terminal' | 'events';

/** Ends that need their reason said. */
const ENDED_BADLY: ReadonlySet<Run['state']> = new Set(['failed', 'timed_out', 'interrupted']);

const PANEL_ID = 'jp-Cabinet-session-panel';

export function SessionView(): React.ReactElement {
  const { trans, editor, connection } = useServices();
  useChanges(editor.changed, connection.changed);
  const [chosen, choose] = React.useState<Tab>('terminal');
  const line = React.useRef<HTMLDivElement>(null);
  const [left, setLeft] = React.useState(false);
  const leave = () => {
    line.current?.focus();
    setLeft(true);
  };
  const { run } = editor;
  if (!run) {
    return (
      <Card title={trans.__('This session has no instruction yet')}>
        {trans.__('Write the first one below.')}
      </Card>
    );
  }
  const hasTerminal = run.mode === 'terminal';
  const tab = hasTerminal ? chosen : 'events';
  const toTerminal = () => choose('terminal');
  const tabs: { id: Tab; label: string }[] = [
    ...(hasTerminal ? [{ id: 'terminal' as const, label: trans.__('Terminal') }] : []),
    { id: 'events', label: trans.__('Events') }
  ];
  return (
    <div className="jp-Cabinet-session" tabIndex={-1} data-approvals-focus="">
      <RunHead run={run} line={line} left={left} onBlur={() => setLeft(false)} />
      {editor.isForeign && <ForeignStrip />}
      {run.warnings.map((warning, index) => (
        <Strip key={index} tone="warning" icon={<Icon icon={warningIcon} />}>
          <Untrusted text={warning} />
        </Strip>
      ))}
      {run.state === 'queued' && editor.terminalId === null ? (
        <QueuedCard />
      ) : (
        <>
          <Tabs
            label={trans.__('Session')}
            tabs={tabs}
            current={tab}
            panelId={PANEL_ID}
            onSelect={choose}
          />
          <div id={PANEL_ID} className="jp-Cabinet-session-panel" role="tabpanel">
            {ENDED_BADLY.has(run.state) && <FailedCard run={run} />}
            <Asking run={run} onAnswer={tab === 'events' && hasTerminal ? toTerminal : null} />
            {tab === 'events' ? (
              <EventsPane key={run.id} run={run} />
            ) : (
              <SessionTerminal run={run} onLeave={leave} />
            )}
          </div>
        </>
      )}
    </div>
  );
}

/** What the run asks: with its answers where they can be given here, else where they can be. */
function Asking(props: { run: Run; onAnswer: (() => void) | null }): React.ReactElement | null {
  const { run, onAnswer } = props;
  const { store, trans } = useApprovals();
  useChanges(store.changed);
  const open = store.waitingOf(run.id);
  if (open.length) {
    return (
      <>
        {open.map(({ approval, may_answer }) =>
          may_answer ? (
            <CompactCard key={approval.id} approval={approval} />
          ) : (
            <OthersStrip key={approval.id} approval={approval} />
          )
        )}
      </>
    );
  }
  if (run.state !== 'waiting') {
    return null;
  }
  const words =
    run.mode === 'terminal' ? trans.__('Waiting, answer in the terminal') : trans.__('Waiting');
  const link = onAnswer && <Button link label={trans.__('Show the terminal')} onClick={onAnswer} />;
  return (
    <Strip tone="warning" icon={<StateMark icon="question" />} actions={link}>
      {words}
      {run.reason && (
        <>
          {': '}
          <Untrusted text={run.reason} />
        </>
      )}
    </Strip>
  );
}

/** Its document is not the open one, because it is gone or another one was opened. */
function ForeignStrip(): React.ReactElement {
  const { documentName, trans, editor } = useServices();
  const name = documentName();
  const words = trans.__('This session is about %1.', editor.detail!.session.path);
  return (
    <Strip icon={<Icon icon={fileIcon} />}>
      <Untrusted
        text={name ? `${words} ${trans.__('What you write below is about %1.', name)}` : words}
      />
    </Strip>
  );
}

function OthersStrip({ approval }: { approval: Approval }): React.ReactElement {
  const { trans } = useApprovals();
  const [title, who] = [titleText(approval, trans), ownerOf(approval)];
  return (
    <Strip tone="warning" icon={<Icon icon={lockIcon} />}>
      {trans.__('%1. Only %2 may answer.', title, who)}
    </Strip>
  );
}

function RunHead(props: {
  run: Run;
  line: React.RefObject<HTMLDivElement>;
  left: boolean;
  onBlur: () => void;
}): React.ReactElement {
  const { run } = props;
  const { focusComposer, trans, editor, connection } = useServices();
  const { icon } = runLabel(run, trans);
  const label = useStateLabel(run);
  const off = !connection.online;
  const mayRunAgain =
    isFinal(run) && run.state !== 'succeeded' && !editor.activeRun && !editor.isForeign;
  return (
    <header className="jp-Cabinet-run">
      <Untrusted block className="jp-Cabinet-run-instruction" text={run.instruction} />
      <div
        ref={props.line}
        className="jp-Cabinet-run-state"
        role="group"
        aria-label={trans.__('State of the run')}
        tabIndex={-1}
        onBlur={props.onBlur}
      >
        <StateMark icon={icon} />
        <strong>{label}</strong>
        {props.left ? (
          <span>{trans.__('You have left the terminal')}</span>
        ) : (
          <RunFacts run={run} />
        )}
        <span className="jp-Cabinet-spring" />
        <RunPager />
        {connection.mayRun && !isFinal(run) && (
          <Button
            icon={stopIcon}
            label={run.state === 'queued' ? trans.__('Cancel') : trans.__('Stop')}
            disabled={off}
            onClick={() => {
              void editor.stop();
              focusComposer();
            }}
          />
        )}
        {connection.mayRun && mayRunAgain && (
          <Button
            icon={refreshIcon}
            label={trans.__('Run again')}
            disabled={off || editor.submitting}
            onClick={() => {
              void editor.runAgain();
              focusComposer();
            }}
          />
        )}
      </div>
    </header>
  );
}

/** How long, for how much, behind which walls. */
function RunFacts({ run }: { run: Run }): React.ReactElement {
  const { trans } = useServices();
  const now = useNow(isWorking(run));
  return (
    <>
      <span className="jp-Cabinet-run-second">{secondText(run, now, trans)}</span>
      {!run.isolated && isWorking(run) && (
        <span
          className="jp-Cabinet-run-second"
          title={trans.__('No sandbox: the run has the power of the server’s user.')}
        >
          {trans.__('not isolated')}
        </span>
      )}
    </>
  );
}

/** "Waiting for you", or for whom. */
function useStateLabel(run: Run): string {
  const { store, trans } = useApprovals();
  useChanges(store.changed);
  const [first] = store.waitingOf(run.id);
  return run.state === 'waiting' && first && !first.may_answer
    ? trans.__('Waiting for %1', ownerOf(first.approval))
    : runLabel(run, trans).label;
}

function RunPager(): React.ReactElement | null {
  const { trans, editor } = useServices();
  const { index, runs } = editor;
  if (runs.length < 2) {
    return null;
  }
  return (
    <span className="jp-Cabinet-pager">
      <Button
        bare
        icon={caretLeftIcon}
        label={trans.__('Earlier instruction')}
        disabled={index === 0}
        onClick={() => editor.select(index - 1)}
      />
      <span>{trans.__('%1 of %2', index + 1, runs.length)}</span>
      <Button
        bare
        icon={caretRightIcon}
        label={trans.__('Later instruction')}
        disabled={index === runs.length - 1}
        onClick={() => editor.select(index + 1)}
      />
    </span>
  );
}

/** The open terminal; after it is closed, what it wrote. */
function SessionTerminal(props: { run: Run; onLeave: () => void }): React.ReactElement | null {
  const { run, onLeave } = props;
  const { trans, editor } = useServices();
  const live = editor.terminalId;
  const text = useRaw(live === null && isFinal(run) ? run.id : null);
  if (live !== null) {
    return (
      <TerminalPane
        sidebar
        key={live}
        terminalId={live}
        text={null}
        onLeave={onLeave}
        onSize={size => (editor.paneSize = size)}
      />
    );
  }
  if (!isFinal(run)) {
    return <Card title={trans.__('The terminal opens when the run starts')} />;
  }
  if (text === null) {
    return null;
  }
  return (
    <>
      <Strip>{trans.__('The terminal is closed. This is what it showed.')}</Strip>
      <TerminalPane sidebar key={run.id} terminalId={null} text={text} onLeave={onLeave} />
    </>
  );
}

function useRaw(runId: string | null): string | null {
  const { runs } = useServices();
  const [raw, setRaw] = React.useState<{ runId: string; text: string } | null>(null);
  React.useEffect(() => {
    let gone = false;
    if (runId !== null) {
      runs
        .readRaw(runId)
        .catch(() => '')
        .then(
          text => gone || setRaw({ runId, text }),
          () => undefined
        );
    }
    return () => {
      gone = true;
    };
  }, [runs, runId]);
  return raw && raw.runId === runId ? raw.text : null;
}
