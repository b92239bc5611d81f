/**
 * A terminal pane: in a tab with a toolbar, or in the editor's sidebar; the same strips,
 * the same screen. A live terminal (`terminalId`), or what one wrote (`text`).
 */
import * as React from 'react';

import type { Size } from '../../api/types';
import { turnVerbs } from '../stores/turns';
import { stripInLine } from '../stores/strips';
import type { TerminalStore } from '../stores/terminal';
import { TerminalActions } from './actions';
import { FindBar } from './FindBar';
import { useTerminals } from './services';
import { TerminalStrip, useStrips } from './Strips';
import { TerminalToolbar } from './Toolbar';
import { Opening, SidebarStrip } from './SidebarStrip';
import { useTerminal, useAppearance, useOneRetry } from './useTerminal';
import { Spoken } from './Spoken';

export interface ITerminalPaneProps {
  terminalId: string | null;
  text: string | null;
  /** In the sidebar the first strip has what the toolbar has in a tab. */
  sidebar?: boolean;
  /** Where changes are announced; the sidebar has a separate region. */
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

/** Toolbar and line of a live terminal, which are there before it is open: so the screen keeps its size. */
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
        {!sidebar && terminalId !== null && <div className="jp-Cabinet-terminal-bar" />}
        {terminalId !== null && <Opening />}
        {children}
      </>
    );
  }
  return (
    <>
      {!sidebar && <TerminalToolbar actions={actions} />}
      <Line actions={actions} sidebar={sidebar} />
      <Over actions={actions} host={host}>
        {children}
      </Over>
      <Spoken store={actions.store} sidebar={sidebar} />
    </>
  );
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

/** One strip at a time: it is always there and always as high, so that the screen stays where it is. */
function Line(props: { actions: TerminalActions; sidebar: boolean }): React.ReactElement {
  const { actions, sidebar } = props;
  const { trans } = useTerminals();
  const { strips, dismiss } = useStrips(actions.store!, sidebar);
  if (sidebar) {
    return <SidebarStrip actions={actions} strips={strips} onDismiss={dismiss} />;
  }
  const strip = stripInLine(strips, actions.store!.state, trans);
  return <TerminalStrip strip={strip} actions={actions} onDismiss={dismiss} />;
}

/** What a person has opened lies over the screen, which is moved only if it has room. */
function Over(props: {
  actions: TerminalActions;
  host: React.RefObject<HTMLDivElement>;
  children: React.ReactNode;
}): React.ReactElement {
  const { actions, host, children } = props;
  const over = React.useRef<HTMLDivElement>(null);
  React.useLayoutEffect(() => {
    const height = over.current?.firstElementChild ? over.current.scrollHeight : 0;
    const room = (host.current?.parentElement?.clientHeight ?? 0) - actions.view.cursorBottom;
    host.current?.style.setProperty('top', height && height < room ? `${height}px` : '0');
  });
  return (
    <div ref={over} className="jp-Cabinet-terminal-over">
      {children}
    </div>
  );
}
