/**
 * The toolbar of a terminal in a tab. Left: who types. Middle: who watches. Right: the agent.
 * Every part has its place, so that nothing moves when the state changes; where the pane is narrow
 * they fold, and everything is in the menu too.
 */
import {
  caretDownIcon,
  ellipsesIcon,
  linkIcon,
  runIcon,
  stopIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';

import {
  agentIcon,
  clockIcon,
  eyeIcon,
  keyboardIcon,
  pauseIcon,
  personIcon,
  questionIcon,
  recordIcon
} from '../../shared/icons';
import type { AgentState } from '../../api/types';
import {
  hasAgent,
  others,
  tellsControl,
  watchers,
  youAsked,
  youControl,
  type ITerminalState
} from '../stores/state';
import {
  agentLabel,
  agentName,
  controllerLabel,
  nameOf,
  requestedLabel,
  watchingLabel
} from '../stores/labels';
import { Button, Icon, Ring } from '../../shared/views/components';
import { useChanges, useNow } from '../../shared/views/hooks';
import type { TerminalActions } from './actions';
import { Avatar } from './Avatar';
import type { TerminalVerb } from './pageTerminals';
import { giveEntries, moreEntries } from './menus';
import { ScaleButton } from './ScaleButton';
import { useTerminals } from './services';

/** So many discs; the count says the rest. */
const MOST_AVATARS = 3;

export function TerminalToolbar({ actions }: { actions: TerminalActions }): React.ReactElement {
  const { trans } = useTerminals();
  const store = actions.store!;
  useChanges(store.changed, store.channel.statusChanged);
  const { state } = store;
  return (
    <div
      className="jp-Cabinet-terminal-bar"
      role="toolbar"
      aria-label={trans.__('Terminal controls')}
    >
      <Controller state={state} connected={store.connected} gone={store.gone !== null} />
      <TurnButton actions={actions} />
      {(!store.connected || tellsControl(state)) && <span className="jp-Cabinet-rule" />}
      <Watchers state={state} connected={store.connected} terminalId={store.terminalId} />
      <span className="jp-Cabinet-spring" />
      <Agent state={state} connected={store.connected} />
      <AgentButtons actions={actions} />
      <span className="jp-Cabinet-rule" />
      <RecordButton actions={actions} />
      <span className="jp-Cabinet-terminal-size jp-mod-foldable" title={trans.__('Columns × rows')}>
        {state.size ? `${state.size.cols} × ${state.size.rows}` : ''}
      </span>
      <ScaleButton view={actions.view} />
      <Button
        quiet
        icon={linkIcon}
        className="jp-mod-foldable"
        label={trans.__('Copy link')}
        disabled={!actions.can('link')}
        onClick={() => actions.act('link')}
      />
      <MoreButton actions={actions} />
    </div>
  );
}

function Controller(props: {
  state: ITerminalState;
  connected: boolean;
  gone: boolean;
}): React.ReactElement {
  const { trans } = useTerminals();
  const { state, connected, gone } = props;
  const { who, what, full } = gone
    ? { who: '', what: trans.__('Closed'), full: trans.__('Closed') }
    : controllerLabel(state, connected, trans);
  const isSaid = gone || !connected || tellsControl(state);
  return (
    <span className="jp-Cabinet-controller" role="status" aria-live="off" aria-label={full}>
      {isSaid && (
        <>
          {connected && state.controller ? (
            <Avatar person={state.controller} hidden />
          ) : (
            <Icon icon={personIcon} />
          )}
          <span className="jp-Cabinet-controller-words" title={full}>
            {who && <strong>{who} </strong>}
            {what}
          </span>
        </>
      )}
    </span>
  );
}

function TurnButton({ actions }: { actions: TerminalActions }): React.ReactElement {
  return (
    <span className="jp-Cabinet-turn jp-mod-foldable">
      <TurnButtons actions={actions} />
    </span>
  );
}

function TurnButtons({ actions }: { actions: TerminalActions }): React.ReactElement | null {
  const services = useTerminals();
  const { trans } = services;
  const store = actions.store!;
  const { state } = store;
  if (!store.connected || !state.you?.can_execute || state.exited) {
    return null;
  }
  if (!tellsControl(state)) {
    return null; // whose it is goes without saying
  }
  if (youControl(state)) {
    return (
      <>
        <Button quiet label={trans.__('Release')} onClick={() => actions.act('release')} />
        {others(state).length > 0 && (
          <Button
            quiet
            hasMenu
            after={caretDownIcon}
            label={trans.__('Give')}
            onClick={event => services.openMenu(event.currentTarget, giveEntries(actions))}
          />
        )}
      </>
    );
  }
  if (youAsked(state)) {
    return (
      <Button
        quiet
        label={requestedLabel(state, trans)}
        title={trans.__('Withdraw the request')}
        onClick={() => actions.act('request')}
      />
    );
  }
  return (
    <Button
      quiet={state.controller !== null}
      filled={state.controller === null}
      icon={keyboardIcon}
      label={state.controller ? trans.__('Request') : trans.__('Take control')}
      title={services.keyOf('request') ?? undefined}
      onClick={() => actions.act('request')}
    />
  );
}

function Watchers(props: {
  state: ITerminalState;
  connected: boolean;
  terminalId: string;
}): React.ReactElement {
  const { trans, avatars } = useTerminals();
  useChanges(avatars.changed);
  const { state, connected } = props;
  if (!connected) {
    return (
      <span className="jp-Cabinet-bar-watchers">
        <span className="jp-Cabinet-bar-label">{trans.__('Viewers unknown')}</span>
      </span>
    );
  }
  if (!tellsControl(state)) {
    return <span className="jp-Cabinet-bar-watchers" />;
  }
  const people = watchers(state);
  const label = watchingLabel(state, trans);
  const looks = people.map(person => avatars.looksAt(person.username, props.terminalId));
  const names = people
    .map((person, index) =>
      looks[index] ? trans.__('%1, looking at it now', nameOf(person)) : nameOf(person)
    )
    .join('\n');
  return (
    <span
      className="jp-Cabinet-bar-watchers"
      title={names || trans.__('Nobody else is connected')}
      role="group"
      aria-label={label}
    >
      <Icon icon={eyeIcon} />
      {people.slice(0, MOST_AVATARS).map((person, index) => (
        <Avatar
          key={person.username}
          person={person}
          looking={looks[index] ?? false}
          note={looks[index] ? trans.__('looking at it now') : undefined}
        />
      ))}
      <span className="jp-Cabinet-bar-label" aria-hidden="true">
        {label}
      </span>
    </span>
  );
}

function Agent(props: { state: ITerminalState; connected: boolean }): React.ReactElement | null {
  const { trans } = useTerminals();
  const { state, connected } = props;
  const now = useNow(connected && hasAgent(state));
  if (!connected) {
    return null;
  }
  if (!state.agentState) {
    return <span className="jp-Cabinet-bar-agent jp-mod-none">{trans.__('No agent')}</span>;
  }
  const label = agentLabel(state, now, trans);
  const name = agentName(state, trans);
  return (
    <span className="jp-Cabinet-bar-agent" title={`${name} ${label}`}>
      <AgentMark state={state.agentState} asks={state.agentReason !== ''} />
      <strong>{name}</strong> <span className="jp-Cabinet-bar-since">{label}</span>
    </span>
  );
}

function AgentMark(props: { state: AgentState; asks: boolean }): React.ReactElement {
  switch (props.state) {
    case 'running':
    case 'ending':
      return <Ring />;
    case 'waiting':
      return <Icon icon={props.asks ? questionIcon : clockIcon} />;
    case 'paused':
      return <Icon icon={pauseIcon} />;
    case 'stopped':
      return <Icon icon={stopIcon} />;
  }
}

/** Absent for those who may not, never dead. */
function AgentButtons({ actions }: { actions: TerminalActions }): React.ReactElement | null {
  const { trans } = useTerminals();
  const isPaused = actions.store!.state.agentState === 'paused';
  const verbs: TerminalVerb[] = ['pause', 'resume', 'stop'];
  if (!verbs.some(verb => actions.can(verb))) {
    return actions.can('agent') ? (
      <span className="jp-Cabinet-agent-buttons jp-mod-foldable">
        <Button
          quiet
          icon={agentIcon}
          label={trans.__('Start an agent')}
          onClick={() => actions.act('agent')}
        />
      </span>
    ) : null;
  }
  return (
    <span className="jp-Cabinet-agent-buttons jp-mod-foldable">
      {isPaused ? (
        <Button
          quiet
          icon={runIcon}
          className="jp-Cabinet-pause"
          label={trans.__('Resume')}
          onClick={() => actions.act('resume')}
        />
      ) : (
        <Button
          quiet
          icon={pauseIcon}
          className="jp-Cabinet-pause"
          label={trans.__('Pause')}
          disabled={!actions.can('pause')}
          onClick={() => actions.act('pause')}
        />
      )}
      <Button
        quiet
        icon={stopIcon}
        label={trans.__('Stop')}
        disabled={!actions.can('stop')}
        onClick={() => actions.act('stop')}
      />
    </span>
  );
}

function RecordButton({ actions }: { actions: TerminalActions }): React.ReactElement | null {
  const { trans } = useTerminals();
  const store = actions.store!;
  const { recording } = store.state;
  if (!actions.can('record')) {
    return store.connected && recording ? (
      <span
        className="jp-Cabinet-bar-recording jp-mod-foldable"
        role="img"
        aria-label={trans.__('Recording')}
        title={trans.__('This terminal is being recorded')}
      >
        <Icon icon={recordIcon} className="jp-mod-on" />
      </span>
    ) : null;
  }
  return (
    <Button
      quiet
      icon={recordIcon}
      iconClass={recording ? 'jp-mod-on' : ''}
      className="jp-mod-foldable"
      label={trans.__('Recording')}
      title={
        recording
          ? trans.__('What is shown is being recorded. Stop recording')
          : trans.__('Nothing is recorded. Record what is shown from now on')
      }
      pressed={recording}
      onClick={() => actions.act('record')}
    />
  );
}

function MoreButton({ actions }: { actions: TerminalActions }): React.ReactElement {
  const services = useTerminals();
  return (
    <Button
      bare
      hasMenu
      icon={ellipsesIcon}
      label={services.trans.__('More')}
      onClick={event => services.openMenu(event.currentTarget, moreEntries(actions, services))}
    />
  );
}
