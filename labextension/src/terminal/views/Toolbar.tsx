/**
 * The toolbar of a terminal in a tab. Left: who types. Middle: who watches. Right: the agent.
 * Every part has its place, so that nothing moves when the state changes; where the pane is narrow
 * they fold, and everything is in the menu too.
 */
import { ellipsesIcon, linkIcon, shareIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { recordIcon } from '../../shared/icons';
import { privacyText } from '../stores/labels';
import { tellsControl } from '../stores/rules';
import { Button, Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import type { TerminalActions } from './actions';
import { moreEntries } from './menus';
import { ScaleButton } from './ScaleButton';
import { useTerminals } from './services';
import { Controller, TurnButton, Watchers } from './TurnControls';
import { Agent, AgentButtons } from './AgentControls';

export function TerminalToolbar({ actions }: { actions: TerminalActions }): React.ReactElement {
  const { trans } = useTerminals();
  const store = actions.store!;
  useChanges(store.changed, store.socket.statusChanged);
  const { state } = store;
  return (
    <div
      className="jp-Cabinet-terminal-bar"
      role="toolbar"
      aria-label={trans.__('Terminal controls')}
    >
      <Controller state={state} connected={store.connected} gone={store.gone} />
      <TurnButton actions={actions} />
      {(!store.connected || tellsControl(state)) && <span className="jp-Cabinet-rule" />}
      <Watchers state={state} connected={store.connected} terminalId={store.terminalId} />
      <Privacy actions={actions} />
      <span className="jp-Cabinet-spring" />
      <Agent state={state} connected={store.connected} />
      <AgentButtons actions={actions} />
      <span className="jp-Cabinet-rule" />
      <RecordButton actions={actions} />
      <span className="jp-Cabinet-terminal-size jp-mod-foldable" title={trans.__('Columns × rows')}>
        {state.size ? `${state.size.cols} × ${state.size.rows}` : ''}
      </span>
      <ScaleButton view={actions.view} />
      <LinkButton actions={actions} />
      <MoreButton actions={actions} />
    </div>
  );
}

/** That others do not see it. */
function Privacy({ actions }: { actions: TerminalActions }): React.ReactElement | null {
  const { connection, list, trans } = useTerminals();
  useChanges(list.changed, connection.changed);
  return actions.isPrivate ? (
    <span className="jp-Cabinet-terminal-private" title={privacyText(connection, trans)}>
      {trans.__('Private')}
    </span>
  ) : null;
}

/** In a private terminal, which nobody could open with the link, it is *Share* for those who may. */
function LinkButton({ actions }: { actions: TerminalActions }): React.ReactElement | null {
  const { list, trans } = useTerminals();
  useChanges(list.changed);
  if (actions.isPrivate) {
    return actions.can('share') ? (
      <Button
        quiet
        icon={shareIcon}
        className="jp-mod-foldable"
        label={trans.__('Share')}
        onClick={() => actions.act('share')}
      />
    ) : null;
  }
  return (
    <Button
      quiet
      icon={linkIcon}
      className="jp-mod-foldable"
      label={trans.__('Copy link')}
      disabled={!actions.can('link')}
      onClick={() => actions.act('link')}
    />
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
          ? trans.__('This terminal is being recorded. Stop recording')
          : trans.__('This terminal is not being recorded. Start recording')
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
