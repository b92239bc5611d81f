/**
 * The left and middle of a terminal’s toolbar: who types, how control changes hands, who watches.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { eyeIcon, keyboardIcon, personIcon } from '../../shared/icons';
import { isFree, others, tellsControl, watchers, youAsked, youControl } from '../stores/rules';
import type { ITerminalState } from '../stores/state';
import type { TerminalStore } from '../stores/terminal';
import { controllerLabel, nameOf, requestedLabel, watchingLabel } from '../stores/labels';
import { Button, Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import type { TerminalActions } from './actions';
import { Avatar } from './Avatar';
import { giveEntries } from './menus';
import { useTerminals } from './services';

export function Controller(props: {
  state: ITerminalState;
  connected: boolean;
  gone: TerminalStore['gone'];
}): React.ReactElement {
  const { trans } = useTerminals();
  const { state, connected, gone } = props;
  const { who, what, full } = gone
    ? goneLabel(gone, trans)
    : controllerLabel(state, connected, trans);
  const isSaid = gone !== null || !connected || tellsControl(state);
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

function goneLabel(gone: NonNullable<TerminalStore['gone']>, trans: TranslationBundle) {
  const what = gone === 'private' ? trans.__('Private') : trans.__('Closed');
  return { who: '', what, full: what };
}

export function TurnButton({ actions }: { actions: TerminalActions }): React.ReactElement {
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
            label={trans.__('Give control')}
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
      quiet={!isFree(state)}
      filled={isFree(state)}
      className="jp-Cabinet-request"
      icon={keyboardIcon}
      label={isFree(state) ? trans.__('Take control') : trans.__('Request')}
      title={services.keyOf('request') ?? undefined}
      onClick={() => actions.act('request')}
    />
  );
}

/** So many discs; the count says the rest. */
const MOST_AVATARS = 3;

export function Watchers(props: {
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
      looks[index] ? trans.__('%1, viewing it now', nameOf(person)) : nameOf(person)
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
          note={looks[index] ? trans.__('viewing it now') : undefined}
        />
      ))}
      <span className="jp-Cabinet-bar-label" aria-hidden="true">
        {label}
      </span>
    </span>
  );
}
