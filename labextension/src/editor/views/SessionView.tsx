/**
 * One session: the instruction, its state in one line, and below it the terminal or the events.
 */
import { fileIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Run } from '../../api/types';
import { JUPYTER_TERMINAL } from '../../shared/commands';
import { warningIcon } from '../../shared/icons';
import { EventsPane, FailedCard } from '../../runs/views';
import { Asking } from '../../approvals/views';
import { AnswerCard, ChangesPane, FormerFile } from '../../changes/views';
import { isFinal } from '../../runs';
import { Card, Icon, Strip, Tabs } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { documentOf } from '../stores/document';
import { useServices } from './services';
import { Untrusted } from '../../shared/views/Untrusted';
import { PausedStrip, QueuedCard } from './RunCards';
import { RunHead } from './RunHead';
import { SessionTerminal } from './SessionTerminal';

type Tab = 'terminal' | 'events' | 'changes';

/** Ends that need their reason said. */
const ENDED_BADLY: ReadonlySet<Run['state']> = new Set(['failed', 'timed_out', 'interrupted']);

const PANEL_ID = 'jp-Cabinet-session-panel';

export function SessionView(): React.ReactElement {
  const { trans, editor, connection } = useServices();
  useChanges(editor.changed, connection.changed);
  const [chosen, choose] = React.useState<Tab>('terminal');
  const session = React.useRef<HTMLDivElement>(null);
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
  const tab = available(chosen, run);
  const told = editor.detail?.session.told_path ?? null; // what the agent calls the document
  const toTerminal = () => choose('terminal');
  const toChanges = () => {
    choose('changes');
    session.current?.querySelector<HTMLElement>('[role=tab]:last-child')?.focus(); // its button goes
  };
  return (
    <div ref={session} className="jp-Cabinet-session" tabIndex={-1} data-approvals-focus="">
      <RunHead run={run} line={line} left={left} onBlur={() => setLeft(false)} />
      {editor.isForeign && <ForeignStrip />}
      {run.warnings.map((warning, index) => (
        <Strip key={index} tone="warning" icon={<Icon icon={warningIcon} />}>
          <Untrusted text={warning} />
          {isFinal(run) && index === run.warnings.length - 1 && (
            <FormerFile run={run} path={told} onChanges={toChanges} />
          )}
        </Strip>
      ))}
      {isFinal(run) && <AnswerCard run={run} onReview={tab === 'changes' ? null : toChanges} />}
      {run.state === 'queued' && editor.terminalId === null ? (
        <QueuedCard />
      ) : (
        <>
          {run.state === 'queued' && <PausedStrip />}
          <Tabs
            label={trans.__('Session')}
            tabs={tabsOf(run, trans)}
            current={tab}
            panelId={PANEL_ID}
            onSelect={choose}
          />
          <div id={PANEL_ID} className="jp-Cabinet-session-panel" role="tabpanel">
            {ENDED_BADLY.has(run.state) && <Failure run={run} />}
            <Asking run={run} onAnswer={tab !== 'terminal' && hasTerminal ? toTerminal : null} />
            <Panel tab={tab} run={run} onLeave={leave} />
          </div>
        </>
      )}
    </div>
  );
}

function tabsOf(run: Run, trans: TranslationBundle): { id: Tab; label: string }[] {
  const files = run.changed?.files ?? 0;
  return [
    ...(run.mode === 'terminal' ? [{ id: 'terminal' as const, label: trans.__('Terminal') }] : []),
    { id: 'events', label: trans.__('Events') },
    ...(files > 0 ? [{ id: 'changes' as const, label: trans.__('Changes %1', files) }] : [])
  ];
}

/** The chosen tab, where the run has it. */
function available(chosen: Tab, run: Run): Tab {
  const hasTerminal = run.mode === 'terminal';
  const hasChanges = (run.changed?.files ?? 0) > 0;
  const has = { terminal: hasTerminal, events: true, changes: hasChanges };
  return has[chosen] ? chosen : hasTerminal ? 'terminal' : 'events';
}

function Panel(props: { tab: Tab; run: Run; onLeave: () => void }): React.ReactElement {
  const { onLeave, run, tab } = props;
  const { outputs, rendermime } = useServices();
  switch (tab) {
    case 'events':
      return <EventsPane key={run.id} run={run} outputs={outputs} rendermime={rendermime} />;
    case 'changes':
      return <ChangesPane key={run.id} run={run} />;
    case 'terminal':
      return <SessionTerminal run={run} onLeave={onLeave} />;
  }
}

function Failure({ run }: { run: Run }): React.ReactElement {
  const { has, run: execute, runtimes } = useServices();
  return (
    <FailedCard
      run={run}
      loginHint={runtimes.items?.find(row => row.name === run.runtime)?.login_hint}
      onLogIn={has(JUPYTER_TERMINAL) ? () => execute(JUPYTER_TERMINAL) : null}
    />
  );
}

/** Its document is not the open one, because it is gone or another one was opened. */
function ForeignStrip(): React.ReactElement {
  const { documentName, trans, editor } = useServices();
  const name = documentName();
  const words = trans.__('This session is about %1.', documentOf(editor.detail!.session));
  return (
    <Strip icon={<Icon icon={fileIcon} />}>
      <Untrusted
        text={name ? `${words} ${trans.__('What you write below is about %1.', name)}` : words}
      />
    </Strip>
  );
}
