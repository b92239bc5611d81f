/**
 * One session: the instruction, its state in one line, and below it the terminal or the events.
 */
import { fileIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Run } from '../../api/types';
import { JUPYTER_TERMINAL } from '../../shared/commands';
import { warningIcon } from '../../shared/icons';
import { EventsPane, FailedCard } from '../../runs/views';
import { Asking } from '../../approvals/views';
import { Card, Icon, Strip, Tabs } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { documentOf } from '../stores/document';
import { useServices } from './services';
import { Untrusted } from '../../shared/views/Untrusted';
import { QueuedCard } from './RunCards';
import { RunHead } from './RunHead';
import { SessionTerminal } from './SessionTerminal';

type Tab = 'terminal' | 'events';

/** Ends that need their reason said. */
const ENDED_BADLY: ReadonlySet<Run['state']> = new Set(['failed', 'timed_out', 'interrupted']);

const PANEL_ID = 'jp-Cabinet-session-panel';

export function SessionView(): React.ReactElement {
  const { trans, editor, connection, outputs, rendermime } = useServices();
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
            {ENDED_BADLY.has(run.state) && <Failure run={run} />}
            <Asking run={run} onAnswer={tab === 'events' && hasTerminal ? toTerminal : null} />
            {tab === 'events' ? (
              <EventsPane key={run.id} run={run} outputs={outputs} rendermime={rendermime} />
            ) : (
              <SessionTerminal run={run} onLeave={leave} />
            )}
          </div>
        </>
      )}
    </div>
  );
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
