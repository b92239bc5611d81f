/**
 * The AI editor: header, body (history or session), composer. Always in this order.
 */
import { addIcon, ellipsesIcon, historyIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { eyeIcon } from '../../shared/icons';
import type { IAnnouncement, Announcer } from '../../shared/announcer';
import { visible } from '../../shared/untrusted';
import { Button, Icon, Strip } from '../../shared/views/components';
import { Services, useServices, type IEditorPanelServices } from './services';
import { OfflineStrip } from '../../shared/views/OfflineStrip';
import { useChanges } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import { EmptyCard, NotLoggedInCard, ReadOnlyCard } from './StartCards';
import { NoticeCard } from './NoticeCard';
import { Composer } from './Composer';
import { Queue } from './Queue';
import { History } from './History';
import { SessionView } from './SessionView';
import { guessSize } from '../../terminal/views';

export interface IEditorPanelProps {
  services: IEditorPanelServices;
  /** Grows by one each time the composer shall have the focus. */
  focusCount: number;
}

export function EditorPanel(props: IEditorPanelProps): React.ReactElement {
  return (
    <Services.Provider value={props.services}>
      <div className="jp-Cabinet-editor">
        <Header />
        <Body />
        <Foot focusCount={props.focusCount} />
        <Spoken />
      </div>
    </Services.Provider>
  );
}

function Header(): React.ReactElement {
  const { trans, documentName, openMenu, editor, connection } = useServices();
  useChanges(editor.changed, connection.changed);
  const name = documentName();
  return (
    <header className="jp-Cabinet-header">
      <h2 className="jp-Cabinet-header-title">{trans.__('AI editor')}</h2>
      {name && (
        <span className="jp-Cabinet-header-document" title={visible(editor.path ?? '')}>
          <Untrusted text={name} />
        </span>
      )}
      <span className="jp-Cabinet-spring" />
      <Button
        bare
        icon={historyIcon}
        label={trans.__('Show history')}
        pressed={editor.view === 'history' && !editor.fresh}
        onClick={() => editor.showHistory()}
      />
      {connection.mayRun && (
        <Button
          bare
          icon={addIcon}
          label={trans.__('New session')}
          onClick={() => editor.startFresh()}
        />
      )}
      <Button
        bare
        icon={ellipsesIcon}
        label={trans.__('More')}
        onClick={event => void openMenu(event.currentTarget)}
      />
    </header>
  );
}

function Body(): React.ReactElement {
  const { editor, appearance } = useServices();
  useChanges(editor.changed);
  const body = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (editor.terminalId === null && body.current?.clientWidth) {
        editor.paneSize = guessSize(body.current, appearance.fontSize);
      }
    });
    observer.observe(body.current!);
    return () => observer.disconnect();
  }, [editor, appearance]);
  return (
    <div ref={body} className="jp-Cabinet-body">
      <ConnectionStrip />
      {editor.notice && <NoticeCard notice={editor.notice} />}
      {editor.notice?.kind === 'trust' ? null : editor.view === 'session' && editor.detail ? (
        <SessionView />
      ) : (
        <Start />
      )}
    </div>
  );
}

function Start(): React.ReactElement {
  const { connection, runtimes, choices, editor } = useServices();
  useChanges(connection.changed, runtimes.changed, choices.changed);
  const row = runtimes.get(choices.runtime);
  return (
    <>
      {connection.health && !connection.mayRun && <ReadOnlyCard />}
      {row?.login === 'no' && !editor.notice && (
        <NotLoggedInCard title={row.title} hint={row.login_hint} />
      )}
      {editor.fresh ? <EmptyCard /> : <History />}
    </>
  );
}

function ConnectionStrip(): React.ReactElement | null {
  const { trans, connection, editor } = useServices();
  useChanges(connection.changed, editor.changed);
  if (connection.status === 'offline') {
    const isTyping = editor.view === 'session' && editor.terminalId !== null;
    const more = isTyping ? trans.__('What you type in the terminal is not sent.') : '';
    return <OfflineStrip connection={connection} trans={trans} more={more} />;
  }
  if (connection.health && !connection.mayRun) {
    return <Strip icon={<Icon icon={eyeIcon} />}>{trans.__('View only')}</Strip>;
  }
  return null;
}

function Foot({ focusCount }: { focusCount: number }): React.ReactElement | null {
  const { connection } = useServices();
  useChanges(connection.changed);
  return (
    <>
      <Queue />
      {connection.health && !connection.mayRun ? null : <Composer focusCount={focusCount} />}
    </>
  );
}

/** The panel's one polite region; what is urgent is spoken by the application's. */
function Spoken(): React.ReactElement {
  const { announcer } = useServices();
  const [text, setText] = React.useState('');
  React.useEffect(() => {
    const slot = (_: Announcer, { text: said, urgent }: IAnnouncement) => {
      if (!urgent) {
        setText(said);
      }
    };
    announcer.said.connect(slot);
    return () => void announcer.said.disconnect(slot);
  }, [announcer]);
  return (
    <div className="jp-Cabinet-spoken" role="status" aria-live="polite">
      {text}
    </div>
  );
}
