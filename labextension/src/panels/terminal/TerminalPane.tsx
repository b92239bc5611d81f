/**
 * The terminal's place in the panel: the strip that says who may type, the screen, and the find bar.
 */
import { closeIcon, lockIcon, keyboardIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Rejection } from '../../api/terminal';
import { eyeIcon, offlineIcon } from '../../icons';
import { terminalUtterance } from '../../state/utterances';
import { refusal, youAsked, youControl } from '../../state/terminal';
import { NOTICE_PAUSE_MS, type TerminalStore } from '../../state/terminalStore';
import { clock } from '../../state/words';
import { Button, Icon, Strip } from '../parts/parts';
import { useChanges, useNow, useServices } from '../parts/services';
import { Untrusted } from '../untrusted/Untrusted';
import { current } from './current';
import type { TerminalView } from './view';

/** A live terminal (`terminalId`), or what one wrote (`text`). */
export function TerminalPane(props: {
  terminalId: string | null;
  text: string | null;
  finding: boolean;
  onFound: () => void;
}): React.ReactElement {
  const services = useServices();
  const host = React.useRef<HTMLDivElement>(null);
  const [view, setView] = React.useState<TerminalView | null>(null);
  React.useEffect(() => {
    let made: TerminalView | null = null;
    let gone = false;
    void import('./view').then(({ TerminalView }) => {
      if (gone || !host.current) {
        return;
      }
      const { look, cabinet, confirmLink } = services;
      made = new TerminalView(host.current, {
        fontSize: look.fontSize,
        screenReader: look.screenReader,
        confirmLink,
        onSize: size => (cabinet.editor.paneSize = size)
      });
      if (props.terminalId) {
        made.attach(cabinet.client, props.terminalId);
      } else {
        made.replay(props.text ?? '');
      }
      current.view = made;
      setView(made);
    });
    return () => {
      gone = true;
      setView(null);
      if (current.view === made) {
        current.view = null;
      }
      made?.dispose();
    };
  }, [props.terminalId, props.text, services]);
  useLook(view);
  return (
    <div className="jp-Cabinet-terminal">
      {view?.store && <TerminalStrips store={view.store} />}
      {props.finding && view && <FindBar view={view} onClose={props.onFound} />}
      <div
        ref={host}
        className="jp-Cabinet-terminal-screen"
        role="region"
        aria-label={services.trans.__('Terminal')}
      />
    </div>
  );
}

function useLook(view: TerminalView | null): void {
  const { look } = useServices();
  React.useEffect(() => {
    const slot = () => view?.restyle(look.fontSize, look.screenReader);
    look.changed.connect(slot);
    return () => void look.changed.disconnect(slot);
  }, [view, look]);
}

/** A refused key, for three seconds. */
function useRefusal(store: TerminalStore): Rejection | null {
  const { cabinet, trans } = useServices();
  const [reason, setReason] = React.useState<Rejection | null>(null);
  React.useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const slot = (_: TerminalStore, refused: Rejection) => {
      setReason(refused);
      cabinet.speech.urgent(refusalWords(store, refused, trans));
      clearTimeout(timer);
      timer = setTimeout(() => setReason(null), NOTICE_PAUSE_MS);
    };
    store.refused.connect(slot);
    return () => {
      clearTimeout(timer);
      store.refused.disconnect(slot);
    };
  }, [store, cabinet, trans]);
  return reason;
}

function TerminalStrips({ store }: { store: TerminalStore }): React.ReactElement {
  const { cabinet, trans } = useServices();
  useChanges(store.changed, store.channel.statusChanged);
  React.useEffect(() => {
    const slot = (_: TerminalStore, frame: Parameters<typeof terminalUtterance>[0]) =>
      cabinet.speech.say(terminalUtterance(frame, store.state, trans));
    store.told.connect(slot);
    return () => void store.told.disconnect(slot);
  }, [store, cabinet, trans]);
  const refused = useRefusal(store);
  return (
    <>
      {store.channel.status === 'lost' ? (
        <LostStrip store={store} />
      ) : (
        <TurnStrip store={store} refused={refused} />
      )}
      {youControl(store.state) &&
        store.state.requests.map(person => (
          <Strip
            key={person.username}
            tone="warning"
            icon={<Icon icon={keyboardIcon} />}
            actions={
              <>
                <Button
                  label={trans.__('Give')}
                  onClick={() => store.send({ type: 'grant_control', to: person.username })}
                />
                <Button
                  label={trans.__('Not now')}
                  onClick={() => store.send({ type: 'deny_control', to: person.username })}
                />
              </>
            }
          >
            {trans.__('%1 asks for control', person.display_name)}
          </Strip>
        ))}
    </>
  );
}

function LostStrip({ store }: { store: TerminalStore }): React.ReactElement {
  const { trans } = useServices();
  const now = useNow(true);
  const seconds = Math.max(0, Math.ceil(((store.channel.retryAt ?? 0) - now.getTime()) / 1000));
  return (
    <Strip
      tone="warning"
      icon={<Icon icon={offlineIcon} />}
      actions={<Button label={trans.__('Try now')} onClick={() => store.channel.retryNow()} />}
    >
      {trans.__('Connection lost. Trying again in %1 s. What you type now is not sent.', seconds)}
    </Strip>
  );
}

function TurnStrip(props: {
  store: TerminalStore;
  refused: Rejection | null;
}): React.ReactElement | null {
  const { store, refused } = props;
  const { trans } = useServices();
  const { state } = store;
  if (!state.you) {
    return null;
  }
  const reason = refusal(state);
  const icon = reason === null ? keyboardIcon : reason === 'agent_running' ? lockIcon : eyeIcon;
  return (
    <Strip
      className={refused ? 'jp-mod-flash' : ''}
      icon={<Icon icon={icon} />}
      actions={
        <>
          <Watchers store={store} />
          <TurnButton store={store} />
        </>
      }
    >
      {refused ? refusalWords(store, refused, trans) : <TurnWords store={store} />}
    </Strip>
  );
}

function TurnWords({ store }: { store: TerminalStore }): React.ReactElement {
  const { trans } = useServices();
  const { state } = store;
  const agent = state.agentTitle ?? trans.__('An agent');
  if (state.exited) {
    return <Untrusted text={exitWords(store, agent, trans)} />;
  }
  if (state.agentState === 'running' || state.agentState === 'ending') {
    return <>{trans.__('Locked while %1 works', agent)}</>;
  }
  if (state.rebuilt) {
    return <>{trans.__('Catching up: the screen was rebuilt. Older lines are gone.')}</>;
  }
  if (youControl(state)) {
    return (
      <>
        {state.agentState === 'waiting'
          ? trans.__('You control this terminal. Answer here or type in it.')
          : trans.__('You control this terminal')}
      </>
    );
  }
  return (
    <>
      {state.controller
        ? trans.__('%1 controls', state.controller.display_name)
        : trans.__('Nobody controls this terminal')}
    </>
  );
}

function exitWords(store: TerminalStore, agent: string, trans: TranslationBundle): string {
  const { code, signal, at } = store.state.exited!;
  const time = at ? clock(at) : '';
  return signal === null
    ? trans.__('%1 ended at %2 with exit code %3', agent, time, String(code))
    : trans.__('%1 was ended at %2 by signal %3', agent, time, String(signal));
}

function refusalWords(store: TerminalStore, reason: Rejection, trans: TranslationBundle): string {
  switch (reason) {
    case 'agent_running':
    case 'ending':
      return trans.__('Not typed: an agent is running');
    case 'busy':
      return trans.__('Not typed: the program does not read');
    case 'exited':
      return trans.__('Not typed: the program has ended');
    case 'read_only':
      return trans.__('Not typed: view only');
    case 'not_controller': {
      const { controller } = store.state;
      return controller
        ? trans.__('Not typed: %1 controls', controller.display_name)
        : trans.__('Not typed: nobody controls');
    }
  }
}

function Watchers({ store }: { store: TerminalStore }): React.ReactElement | null {
  const { trans } = useServices();
  const { viewers, you } = store.state;
  const others = viewers.filter(person => person.username !== you?.username);
  if (!others.length) {
    return null;
  }
  const names = others.map(person => person.display_name).join(', ');
  return (
    <span className="jp-Cabinet-watchers" title={names}>
      {others.length === 1
        ? trans.__('%1 is watching', others[0].display_name)
        : trans._n('%1 watching', '%1 watching', others.length)}
    </span>
  );
}

function TurnButton({ store }: { store: TerminalStore }): React.ReactElement | null {
  const { trans } = useServices();
  const { state } = store;
  if (!state.you?.can_execute || state.exited || youControl(state)) {
    return null;
  }
  if (youAsked(state)) {
    return (
      <Button
        label={trans.__('Requested')}
        title={trans.__('Withdraw the request')}
        onClick={() => store.send({ type: 'withdraw_request' })}
      />
    );
  }
  return (
    <Button
      label={state.controller ? trans.__('Request control') : trans.__('Take control')}
      onClick={() => store.send({ type: 'request_control' })}
    />
  );
}

function FindBar(props: { view: TerminalView; onClose: () => void }): React.ReactElement {
  const { trans } = useServices();
  const { view } = props;
  const [text, setText] = React.useState('');
  const close = () => {
    view.clearFind();
    props.onClose();
    view.focus();
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter') {
      view.find(text, event.shiftKey);
    } else if (event.key === 'Escape') {
      close();
    }
  };
  return (
    <div className="jp-Cabinet-find" role="search">
      <input
        autoFocus
        className="jp-Cabinet-field"
        type="search"
        aria-label={trans.__('Find in the terminal')}
        placeholder={trans.__('Find in the terminal')}
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button label={trans.__('Previous')} onClick={() => view.find(text, true)} />
      <Button label={trans.__('Next')} onClick={() => view.find(text)} />
      <Button bare icon={closeIcon} label={trans.__('Close')} onClick={close} />
    </div>
  );
}
