/**
 * What a screen reader says about a terminal: in a tab by a separate region, in the sidebar by the panel’s.
 */
import * as React from 'react';
import { Announcer, type IAnnouncement } from '../../shared/announcer';
import { goneText } from '../stores/connectionStrips';
import type { IReceivedFrame, TerminalStore } from '../stores/terminal';
import { terminalAnnouncement } from '../stores/announcements';
import { useTerminals } from './services';

/** A tab's polite region; the sidebar has one for all that it shows. */
export function Spoken(props: {
  store: TerminalStore;
  sidebar: boolean;
}): React.ReactElement | null {
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
      const { socket, state } = store;
      if (socket.status === 'lost' && socket.failures === 1 && state.you !== null) {
        announcer.polite(trans.__('Connection lost. Trying again.'));
      }
    };
    let toldGone = false;
    const onChanged = () => {
      if (store.gone !== null && !toldGone) {
        toldGone = true;
        announcer.polite(goneText(store.gone, store.closedBecause, trans));
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
    store.socket.statusChanged.connect(onStatus);
    if (!sidebar) {
      announcer.said.connect(onSaid);
    }
    return () => {
      stopConnected();
      store.told.disconnect(onTold);
      store.changed.disconnect(onChanged);
      store.socket.statusChanged.disconnect(onStatus);
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
  store.socket.statusChanged.connect(onStatus);
  return () => {
    store.told.disconnect(onTold);
    store.socket.statusChanged.disconnect(onStatus);
  };
}
