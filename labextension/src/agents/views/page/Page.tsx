/**
 * One agent: its head, and its tabs.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { AgentDetail, Inbox as InboxPage } from '../../../api/types';
import { AllPaused } from '../../../runs/views';
import { Card, Icon, Strip, Tabs } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Loading } from '../../../shared/views/Loading';
import { OfflineStrip } from '../../../shared/views/OfflineStrip';
import { Untrusted } from '../../../shared/views/Untrusted';
import { offlineIcon, warningIcon } from '../../../shared/icons';
import type { TabId } from '../../stores/page/place';
import { useAgent } from '../services';
import { Absent } from './Absent';
import { Files } from './Files';
import { Goals } from './Goals';
import { Head } from './Head';
import { History } from './History';
import { Inbox } from './Inbox';
import { Memory } from './Memory';
import { Overview } from './Overview';
import { Persona } from './Persona';
import { Plays } from './Plays';
import { isFocusLost, MayButton } from '../parts';
import { usePage, useWhyNot } from './services';
import { Tasks } from './Tasks';

export function Page({ onName }: { onName: (name: string) => void }): React.ReactElement {
  const { agents, connection, page, trans } = usePage();
  const agent = useAgent(agents, page.slug);
  useChanges(connection.changed);
  const name = agent?.name;
  React.useEffect(() => {
    if (name !== undefined) {
      onName(name);
    }
  }, [name]);
  const wasAbsent = React.useRef(false);
  if (agent) {
    return <Known agent={agent} isBack={wasAbsent.current} />;
  }
  const problem = agents.problem(page.slug);
  wasAbsent.current = problem === 'absent';
  if (problem === null) {
    return <Loading label={trans.__('Loading the agent')} />;
  }
  if (problem === 'absent') {
    return <Absent />;
  }
  const [title, text] =
    problem === 'forbidden'
      ? [
          trans.__('This agent belongs to another person'),
          trans.__('Its owner has kept it private.')
        ]
      : [
          trans.__('The server cannot be reached'),
          trans.__('The agent will appear when the server responds.')
        ];
  return (
    <Card icon={<Icon icon={problem === 'offline' ? offlineIcon : warningIcon} />} title={title}>
      {text}
    </Card>
  );
}

/** `isBack`: it was removed, and is there again. */
function Known(props: { agent: AgentDetail; isBack: boolean }): React.ReactElement {
  const { agent, isBack } = props;
  const { connection, page, place, trans, workSwitch } = usePage();
  useChanges(place.changed);
  const root = React.useRef<HTMLElement>(null);
  React.useEffect(() => {
    if (isBack && isFocusLost()) {
      root.current!.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus();
    }
  }, []);
  const { runId, tab } = place;
  const panelId = React.useId();
  const showRun = React.useCallback((id: string | null) => place.go('history', id), [place]);
  return (
    <article ref={root} className="jp-Cabinet-page" data-agent={agent.slug}>
      <Head agent={agent} />
      <OfflineStrip connection={connection} trans={trans} />
      <AllPaused connection={connection} runs={page.runs} workSwitch={workSwitch} trans={trans} />
      <Unconfirmed agent={agent} />
      <PageTabs tab={tab} panelId={panelId} onSelect={id => place.go(id)} />
      <div
        id={panelId}
        key={tab}
        role="tabpanel"
        aria-label={tabLabel(tab, trans)}
        className="jp-Cabinet-page-panel"
        data-tab={tab}
      >
        {tab === 'overview' && <Overview agent={agent} onRun={showRun} />}
        {tab === 'history' && <History agent={agent} runId={runId} onRun={showRun} />}
        {tab === 'memory' && <Memory agent={agent} />}
        {tab === 'files' && <Files agent={agent} />}
        {tab === 'goals' && <Goals agent={agent} />}
        {tab === 'tasks' && <Tasks />}
        {tab === 'inbox' && <Inbox agent={agent} />}
        {tab === 'plays' && <Plays onRun={showRun} />}
        {tab === 'persona' && <Persona agent={agent} />}
      </div>
    </article>
  );
}

function tabLabel(tab: TabId, trans: TranslationBundle): string {
  const labels: Record<TabId, string> = {
    overview: trans.__('Overview'),
    history: trans.__('History'),
    memory: trans.__('Memory'),
    files: trans.__('Files'),
    goals: trans.__('Goals'),
    tasks: trans.__('Tasks'),
    inbox: trans.__('Inbox'),
    plays: trans.__('Plays'),
    persona: trans.__('Persona')
  };
  return labels[tab];
}

function PageTabs(props: {
  tab: TabId;
  panelId: string;
  onSelect: (tab: TabId) => void;
}): React.ReactElement {
  const { page, trans } = usePage();
  const { inbox, plays, proposals, tasks } = page;
  useChanges(inbox.changed, plays.changed, proposals.changed, tasks.changed);
  const isOpen = ({ status }: { status: string }) =>
    status === 'pending' || status === 'in_progress';
  const counted = (label: string, count: number | undefined) =>
    count ? trans.__('%1 %2', label, count) : label;
  return (
    <Tabs<TabId>
      label={trans.__('Agent')}
      current={props.tab}
      panelId={props.panelId}
      onSelect={props.onSelect}
      tabs={[
        { id: 'overview', label: tabLabel('overview', trans) },
        { id: 'history', label: tabLabel('history', trans) },
        { id: 'memory', label: tabLabel('memory', trans) },
        { id: 'files', label: counted(tabLabel('files', trans), proposals.waiting ? 1 : 0) },
        { id: 'goals', label: tabLabel('goals', trans) },
        {
          id: 'tasks',
          label: counted(tabLabel('tasks', trans), tasks.value?.tasks.filter(isOpen).length)
        },
        { id: 'inbox', label: counted(tabLabel('inbox', trans), waiting(inbox.value)) },
        { id: 'plays', label: counted(tabLabel('plays', trans), plays.value?.length) },
        { id: 'persona', label: tabLabel('persona', trans) }
      ]}
    />
  );
}

/** How many messages the agent has not read, also those that are not shown. */
function waiting(inbox: InboxPage | null): number {
  return inbox === null ? 0 : inbox.messages.length + (inbox.more ?? 0);
}

/** That it may not act as it is, what is wrong, and what a person can do. */
function Unconfirmed({ agent }: { agent: AgentDetail }): React.ReactElement | null {
  const { confirm, trans } = usePage();
  const why = useWhyNot(agent);
  if (agent.errors.length > 0) {
    return (
      <Strip tone="warning" icon={<Icon icon={warningIcon} />}>
        <Untrusted text={agent.reason} />
      </Strip>
    );
  }
  if (agent.confirmed) {
    return null;
  }
  return (
    <Strip
      tone="warning"
      icon={<Icon icon={warningIcon} />}
      actions={
        <MayButton label={trans.__('Confirm…')} whyNot={why} onClick={() => void confirm()} />
      }
    >
      {trans.__('It does not run until it is confirmed.')}
    </Strip>
  );
}
