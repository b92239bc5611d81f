/**
 * A terminal's place: in a tab of its own with a toolbar, or in the editor's sidebar; the same strips,
 * the same screen. A live terminal (`terminalId`), or what one wrote (`text`).
 */
import * as React from 'react';

import type { Size } from '../../api/types';
import { isOurs, turnVerbs } from '../stores/turns';
import { Announcer, type IAnnouncement } from '../../shared/announcer';
import { goneText } from '../stores/connectionStrips';
import type { IStrip } from '../stores/strip';
import type { IReceivedFrame, TerminalStore } from '../stores/terminal';
import { terminalAnnouncement } from '../stores/announcements';
import { TerminalActions } from './actions';
import { FindBar } from './FindBar';
import { loadTerminalView } from './loadTerminalView';
import { useTerminals, type ITerminalServices } from './services';
import { TerminalStrip, useStrips } from './Strips';
import { TerminalToolbar } from './Toolbar';
import { Opening, SidebarStrip } from './SidebarStrip';
import type { TerminalView } from './terminalView';

export interface ITerminalPaneProps {
  terminalId: string | null;
  text: string | null;
  /** In the sidebar the first strip has what the toolbar has in a tab. */
  sidebar?: boolean;
  /** Where what changes is spoken; the sidebar has a region of its own. */
  onSize?: (size: Size) => void;
  /** Where the focus goes by Esc Esc; without it the terminal's frame. */
  onLeave?: () => void;
  onReady?: (actions: TerminalActions) => void;
}

export function TerminalPane(props: ITerminalPaneProps): React.ReactElement {
  const services = useTerminals();
  const { trans } = services;
  const host = React.useRef<HTMLDivElement>(null);
  const [finding, find] = React.useState(false);
  const actions = useTerminal(host, props, () => find(true));
  useAppearance(actions?.view ?? null, services);
  useOneRetry(actions?.store ?? null, services);
  return (
    <StateClasses store={actions?.store ?? null}>
      <Above actions={actions} pane={props} host={host}>
        {finding && actions && <FindBar view={actions.view} onClose={() => find(false)} />}
      </Above>
      <div className="jp-Cabinet-terminal-frame">
        <div
          ref={host}
          className="jp-Cabinet-terminal-screen"
          role="region"
          aria-label={trans.__('Terminal')}
        />
      </div>
    </StateClasses>
  );
}

/** Toolbar and strips of a live terminal; their line is kept while it is being opened. */
function Above(props: {
  actions: TerminalActions | null;
  pane: ITerminalPaneProps;
  host: React.RefObject<HTMLDivElement>;
  children: React.ReactNode;
}): React.ReactElement {
  const { actions, host, children } = props;
  const { sidebar = false, terminalId } = props.pane;
  if (!actions?.store) {
    return (
      <>
        {sidebar && terminalId !== null && <Opening />}
        {children}
      </>
    );
  }
  return (
    <>
      {!sidebar && <TerminalToolbar actions={actions} />}
      <Strips actions={actions} sidebar={sidebar} host={host}>
        {children}
      </Strips>
      <Spoken store={actions.store} sidebar={sidebar} />
    </>
  );
}

function useTerminal(
  host: React.RefObject<HTMLDivElement>,
  props: ITerminalPaneProps,
  onFind: () => void
): TerminalActions | null {
  const services = useTerminals();
  const { terminalId, text } = props;
  const [actions, setActions] = React.useState<TerminalActions | null>(null);
  const latest = React.useRef(props);
  latest.current = props;
  React.useEffect(() => {
    let made: TerminalActions | null = null;
    let gone = false;
    let view: TerminalView | null = null;
    const begin = async () => {
      const { TerminalView } = await loadTerminalView();
      if (gone || !host.current) {
        return;
      }
      const { appearance, confirmLink, list } = services;
      const { fontSize, screenReader } = appearance;
      const drawn: TerminalView = new TerminalView(host.current, {
        fontSize,
        screenReader,
        confirmLink,
        onSize: size => latest.current.onSize?.(size),
        onLeave: props.onLeave && (() => latest.current.onLeave?.()),
        isOurs: event => isOurKey(event, drawn.store, services)
      });
      view = drawn;
      await drawn.ready;
      if (gone) {
        return;
      }
      if (terminalId) {
        await drawn.attach(screen => list.connect(terminalId, screen));
        if (gone) {
          return;
        }
      } else {
        drawn.replay(text ?? '');
      }
      made = new TerminalActions(drawn, services, onFind);
      setActions(made);
      latest.current.onReady?.(made);
    };
    void begin();
    return () => {
      gone = true;
      setActions(null);
      made?.dispose();
      view?.dispose();
    };
    // Made anew for another terminal only; what else changes is read when it is needed.
  }, [terminalId, text, services]);
  return actions;
}

function isOurKey(
  event: KeyboardEvent,
  store: TerminalStore | null,
  services: ITerminalServices
): boolean {
  const verbs = ['request', 'give', 'deny'] as const;
  if (event.type === 'keydown' && services.leadsAway(event)) {
    return true;
  }
  return (
    event.type === 'keydown' &&
    store !== null &&
    store.connected &&
    verbs.some(verb => isOurs(verb, store.state) && services.isKey(verb, event))
  );
}

function useAppearance(view: TerminalView | null, services: ITerminalServices): void {
  const { appearance } = services;
  React.useEffect(() => {
    const slot = () => view?.restyle(appearance.fontSize, appearance.screenReader);
    appearance.changed.connect(slot);
    return () => void appearance.changed.disconnect(slot);
  }, [view, appearance]);
}

/** The server is there again: the terminal does not wait for its own next attempt. */
function useOneRetry(store: TerminalStore | null, { connection }: ITerminalServices): void {
  React.useEffect(() => {
    const slot = () => {
      if (connection.online && store?.isLost) {
        store.channel.retryNow();
      }
    };
    connection.changed.connect(slot);
    return () => void connection.changed.disconnect(slot);
  }, [store, connection]);
}

/** The root says in classes what its keys mean now: the shortcuts' selectors are made of them. */
function StateClasses(props: {
  store: TerminalStore | null;
  children: React.ReactNode;
}): React.ReactElement {
  const { store } = props;
  const [classes, setClasses] = React.useState('');
  React.useEffect(() => {
    const slot = () => {
      const verbs = store?.connected ? turnVerbs(store.state) : [];
      const asks = verbs.includes('request') || verbs.includes('withdraw');
      setClasses(
        [asks && 'jp-mod-may-request', verbs.includes('give') && 'jp-mod-asked']
          .filter(name => name)
          .join(' ')
      );
    };
    slot();
    store?.changed.connect(slot);
    return () => void store?.changed.disconnect(slot);
  }, [store]);
  return <div className={`jp-Cabinet-terminal ${classes}`.trim()}>{props.children}</div>;
}

/** One strip has a line of its own; what comes and goes lies over the screen, which is moved only if it has room. */
function Strips(props: {
  actions: TerminalActions;
  sidebar: boolean;
  host: React.RefObject<HTMLDivElement>;
  children: React.ReactNode;
}): React.ReactElement {
  const { actions, sidebar, host } = props;
  const { strips, dismiss } = useStrips(actions.store!, sidebar);
  const draw = (strip: IStrip) => (
    <TerminalStrip key={strip.id} strip={strip} actions={actions} onDismiss={dismiss} />
  );
  const slot = strips.filter(strip => strip.place === 'slot');
  const extra = strips.filter(strip => strip.place === 'extra');
  const over = React.useRef<HTMLDivElement>(null);
  React.useLayoutEffect(() => {
    const height = over.current?.firstElementChild ? over.current.scrollHeight : 0;
    const room = (host.current?.parentElement?.clientHeight ?? 0) - actions.view.cursorBottom;
    host.current?.style.setProperty('top', height && height < room ? `${height}px` : '0');
  });
  return (
    <>
      {sidebar ? <SidebarStrip actions={actions} strips={slot} draw={draw} /> : slot.map(draw)}
      <div ref={over} className="jp-Cabinet-terminal-over">
        {extra.map(draw)}
        {props.children}
      </div>
    </>
  );
}

/** A tab's polite region; the sidebar has one for all that it shows. */
function Spoken(props: { store: TerminalStore; sidebar: boolean }): React.ReactElement | null {
  const { announcer: ofSidebar, complain, trans } = useTerminals();
  const { store, sidebar } = props;
  const announcer = React.useMemo(
    () => (sidebar ? ofSidebar : new Announcer()),
    [sidebar, ofSidebar]
  );
  const [text, setText] = React.useState('');
  React.useEffect(() => {
    const onTold = (_: TerminalStore, { frame, before }: IReceivedFrame) => {
      // What was asked for was not done. That control had just moved is seen anyway.
      if (frame.type === 'error' && frame.kind !== 'not_your_turn') {
        complain(new Error(frame.message));
      }
      announcer.say(terminalAnnouncement(frame, before, store.state, trans));
    };
    const onSaid = (_: Announcer, said: IAnnouncement) => setText(said.text);
    const onStatus = () => {
      const { channel, state } = store;
      if (channel.status === 'lost' && channel.failures === 1 && state.you !== null) {
        announcer.polite(trans.__('Connection lost. Trying again.'));
      }
    };
    let toldGone = false;
    const onChanged = () => {
      if (store.gone !== null && !toldGone) {
        toldGone = true;
        announcer.polite(goneText(store.gone, trans));
      }
    };
    const stopConnected = sayConnected(
      store,
      announcer,
      trans.__('Connected.'),
      trans.__('Connected. Screen rebuilt.')
    );
    store.told.connect(onTold);
    store.changed.connect(onChanged);
    store.channel.statusChanged.connect(onStatus);
    if (!sidebar) {
      announcer.said.connect(onSaid);
    }
    return () => {
      stopConnected();
      store.told.disconnect(onTold);
      store.changed.disconnect(onChanged);
      store.channel.statusChanged.disconnect(onStatus);
      announcer.said.disconnect(onSaid);
    };
  }, [store, sidebar, announcer, trans, complain]);
  return sidebar ? null : (
    <div className="jp-Cabinet-spoken" role="status" aria-live="polite">
      {text}
    </div>
  );
}

/** After a break: that the connection is there again, and whether the screen is still the same. */
function sayConnected(
  store: TerminalStore,
  announcer: Announcer,
  connected: string,
  rebuilt: string
): () => void {
  let wasLost = false;
  const onTold = (_: TerminalStore, { frame }: IReceivedFrame) => {
    if (frame.type === 'replay' && wasLost) {
      wasLost = false;
      announcer.polite(frame.reset ? rebuilt : connected);
    }
  };
  const onStatus = () => {
    wasLost ||= store.isLost;
  };
  store.told.connect(onTold);
  store.channel.statusChanged.connect(onStatus);
  return () => {
    store.told.disconnect(onTold);
    store.channel.statusChanged.disconnect(onStatus);
  };
}
