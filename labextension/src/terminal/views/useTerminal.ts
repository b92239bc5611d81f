/**
 * The emulator of a pane: made for a terminal, kept in the theme’s colours, reconnected with the page.
 */
import * as React from 'react';
import type { TerminalStore } from '../stores/terminal';
import { TerminalActions } from './actions';
import { loadTerminalView } from './loadTerminalView';
import type { ITerminalPaneProps } from './TerminalPane';
import { useTerminals, type ITerminalServices } from './services';
import type { TerminalView } from './terminalView';

/** Null until the emulator is loaded and drawn. */
export function useTerminal(
  host: React.RefObject<HTMLDivElement>,
  props: ITerminalPaneProps,
  onFind: () => void
): TerminalActions | null {
  const services = useTerminals();
  const { terminalId, text } = props;
  const [actions, setActions] = React.useState<TerminalActions | null>(null);
  const [attempt, setAttempt] = React.useState(0);
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
      const { appearance, confirmLink, list, trans } = services;
      const { fontSize, screenReader } = appearance;
      const drawn = new TerminalView(host.current, {
        fontSize,
        screenReader,
        confirmLink,
        frameLabel: terminalId
          ? trans.__('Terminal. Press Enter to type in it.')
          : trans.__('Output of the terminal'),
        onSize: size => latest.current.onSize?.(size),
        onLeave: props.onLeave && (() => latest.current.onLeave?.()),
        isOurs: services.isShortcut
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
    // Only made again for another terminal, or one that is shared again; everything else is read when it is needed.
  }, [terminalId, text, services, attempt]);
  useSharedAgain(actions?.store ?? null, services, setAttempt);
  return actions;
}

/** A terminal that its owner made private is opened again as soon as it is shared again. */
function useSharedAgain(
  store: TerminalStore | null,
  { list }: ITerminalServices,
  setAttempt: React.Dispatch<React.SetStateAction<number>>
): void {
  React.useEffect(() => {
    let wasUnlisted = false; // the connection may end before the list knows it
    const slot = () => {
      if (store?.gone !== 'private') {
        return;
      }
      const isListed = list.get(store.terminalId) !== undefined;
      if (isListed && wasUnlisted) {
        setAttempt(attempt => attempt + 1);
      }
      wasUnlisted ||= !isListed;
    };
    list.changed.connect(slot);
    store?.changed.connect(slot);
    return () => {
      list.changed.disconnect(slot);
      store?.changed.disconnect(slot);
    };
  }, [store, list, setAttempt]);
}

/** Font, screen reader mode and colours follow the settings and the theme. */
export function useAppearance(view: TerminalView | null, services: ITerminalServices): void {
  const { appearance } = services;
  React.useEffect(() => {
    const slot = () => view?.restyle(appearance.fontSize, appearance.screenReader);
    appearance.changed.connect(slot);
    return () => void appearance.changed.disconnect(slot);
  }, [view, appearance]);
}

/** The server is there again: the terminal does not wait for its own next attempt. */
export function useOneRetry(store: TerminalStore | null, { connection }: ITerminalServices): void {
  React.useEffect(() => {
    const slot = () => {
      if (connection.online && store?.isLost) {
        store.socket.retryNow();
      }
    };
    connection.changed.connect(slot);
    return () => void connection.changed.disconnect(slot);
  }, [store, connection]);
}
