/**
 * The right of a terminal’s toolbar: the agent, and how it is paused, resumed and stopped.
 */
import { runIcon, stopIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { agentIcon, clockIcon, pauseIcon, questionIcon } from '../../shared/icons';
import type { AgentState } from '../../api/types';
import { hasAgent } from '../stores/rules';
import type { ITerminalState } from '../stores/state';
import { agentLabel, agentName } from '../stores/labels';
import { Button, Icon, Ring } from '../../shared/views/components';
import { useNow } from '../../shared/views/hooks';
import type { TerminalActions } from './actions';
import type { TerminalVerb } from './pageTerminals';
import { useTerminals } from './services';

export function Agent(props: {
  state: ITerminalState;
  connected: boolean;
}): React.ReactElement | null {
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
export function AgentButtons({ actions }: { actions: TerminalActions }): React.ReactElement | null {
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
