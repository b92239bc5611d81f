/**
 * The first strip of a terminal in the sidebar: who types or what is locked, and the buttons that a
 * terminal in a tab has in its toolbar. It is always there, so that the screen keeps its size.
 */
import { keyboardIcon, launchIcon, lockIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Commands } from '../../shared/commands';
import { clockIcon } from '../../shared/icons';
import type { IStrip } from '../stores/strip';
import type { ITerminalState } from '../stores/state';
import { isFree, others, tellsControl, youAsked, youControl, isLocked } from '../stores/rules';
import { agentName, answerHereText, nameOf } from '../stores/labels';
import { Button, Icon, Strip } from '../../shared/views/components';
import type { TerminalActions } from './actions';
import { ScaleButton } from './ScaleButton';
import { useTerminals } from './services';
import { TerminalStrip } from './Strips';

/** What this line says itself, or has no room for beside its buttons. */
const OWN: ReadonlySet<string> = new Set(['lock', 'viewer', 'free', 'rebuilt']);

export function SidebarStrip(props: {
  actions: TerminalActions;
  strips: IStrip[];
  onDismiss: () => void;
}): React.ReactElement | null {
  const { actions, onDismiss, strips } = props;
  const store = actions.store!;
  const { connection } = useTerminals();
  const isToldAbove = store.isLost && !connection.online;
  if (store.gone || (store.isLost && !isToldAbove)) {
    return <TerminalStrip strip={strips[0]} actions={actions} onDismiss={onDismiss} />;
  }
  if (!store.state.you) {
    return <Opening />;
  }
  const first = strips.find(strip => strip.flash) ?? strips.find(strip => !OWN.has(strip.id));
  if (isToldAbove || !first || first.id === 'waiting' || first.id === 'paused') {
    return <Turn actions={actions} />; // without a connection it says how things stood
  }
  return <TerminalStrip strip={first} actions={actions} onDismiss={onDismiss} />;
}

/** Holds the line while there is nothing to say yet. */
export function Opening(): React.ReactElement {
  const { trans } = useTerminals();
  return (
    <Strip className="jp-mod-line" icon={<Icon icon={clockIcon} />}>
      {trans.__('Opening the terminal')}
    </Strip>
  );
}

function Turn({ actions }: { actions: TerminalActions }): React.ReactElement {
  const { approvals, trans } = useTerminals();
  const { state, terminalId } = actions.store!;
  const hasCard = approvals.store.waitingIn(terminalId).some(({ may_answer }) => may_answer);
  const controls = youControl(state);
  const words =
    hasCard && controls
      ? trans.__('Answer above, or type in the terminal.')
      : turnText(actions, trans);
  const asks = controls && (hasCard || isAsked(state));
  return (
    <Strip
      className={asks ? 'jp-mod-line jp-mod-question' : 'jp-mod-line'}
      icon={<Icon icon={isLocked(state) ? lockIcon : keyboardIcon} />}
      actions={
        <>
          <Watching actions={actions} />
          {asks && (
            <Button
              label={hasCard ? trans.__('Go to question') : trans.__('Type answer')}
              onClick={() => (hasCard ? focusCard(actions) : actions.view.focus())}
            />
          )}
          <Buttons actions={actions} />
        </>
      }
    >
      <span title={words}>{words}</span>
    </Strip>
  );
}

/** Whether the agent waits for an answer and has said what it asks. */
function isAsked({ agentReason, agentState, exited }: ITerminalState): boolean {
  return agentState === 'waiting' && !!agentReason && !exited;
}

/** The card above the terminal that has the answers. */
function focusCard({ view }: TerminalActions): void {
  const session = view.host.closest('.jp-Cabinet-session');
  session?.querySelector<HTMLElement>('.jp-Cabinet-approval button:enabled')?.focus();
}

function turnText(
  actions: TerminalActions,
  trans: ReturnType<typeof useTerminals>['trans']
): string {
  const { state } = actions.store!;
  const agent = agentName(state, trans);
  if (isLocked(state)) {
    return trans.__('Locked while %1 works', agent);
  }
  if (state.agentState === 'paused') {
    return youControl(state)
      ? trans.__('%1 is paused, and this is your shell. Resume the agent when you are done.', agent)
      : trans.__('%1 is paused.', agent);
  }
  if (youControl(state)) {
    return state.agentReason
      ? answerHereText(state.agentReason, trans)
      : tellsControl(state)
        ? trans.__('You control this terminal')
        : trans.__('You can type in this terminal');
  }
  return state.controller && !isFree(state)
    ? trans.__('%1 controls', nameOf(state.controller))
    : trans.__('Nobody controls this terminal');
}

function Watching({ actions }: { actions: TerminalActions }): React.ReactElement | null {
  const { trans } = useTerminals();
  const { state } = actions.store!;
  const people = others(state);
  return people.length ? (
    <span className="jp-Cabinet-watchers" title={people.map(nameOf).join('\n')}>
      {people.length === 1
        ? trans.__('%1 is watching', nameOf(people[0]))
        : trans.__('%1 watching', people.length)}
    </span>
  ) : null;
}

function Buttons({ actions }: { actions: TerminalActions }): React.ReactElement {
  const { trans, run } = useTerminals();
  const { state, terminalId } = actions.store!;
  return (
    <>
      {actions.can('pause') && state.agentState === 'running' && (
        <Button label={trans.__('Pause')} onClick={() => actions.act('pause')} />
      )}
      {actions.can('resume') && (
        <Button label={trans.__('Resume')} onClick={() => actions.act('resume')} />
      )}
      {actions.can('request') && (
        <Button
          className="jp-Cabinet-request"
          label={
            youAsked(state)
              ? trans.__('Requested')
              : isFree(state)
                ? trans.__('Take control')
                : trans.__('Request control')
          }
          title={youAsked(state) ? trans.__('Withdraw the request') : undefined}
          onClick={() => actions.act('request')}
        />
      )}
      <ScaleButton view={actions.view} />
      <Button
        bare
        icon={launchIcon}
        label={trans.__('Open this terminal in a tab')}
        onClick={() => run(Commands.openTerminal, { id: terminalId })}
      />
    </>
  );
}
