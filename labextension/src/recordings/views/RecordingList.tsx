/**
 * All recordings that a person may see: play, download, delete.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import { deleteIcon, downloadIcon, runIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Recording } from '../../api/types';
import { Commands } from '../../shared/commands';
import { recordIcon } from '../../shared/icons';
import { visible } from '../../shared/untrusted';
import { duration, fullTime, when } from '../../shared/time';
import { size } from '../../shared/size';
import { Button, Card, Icon } from '../../shared/views/components';
import { useAfter, useChanges } from '../../shared/views/hooks';
import { type IFocusTargets, useKeptFocus } from '../../shared/views/keptFocus';
import { OfflineStrip } from '../../shared/views/OfflineStrip';
import { mayDelete, type RecordingListStore } from '../stores/recordings';
import { useRecordings } from './services';
import { useTerminals } from '../../terminal/views';

/** For a recording that was deleted: the next one, or the list. */
const FOCUS: IFocusTargets = { parts: [], places: ['.jp-Cabinet-recording button'] };

export function RecordingList(): React.ReactElement {
  const { trans } = useTerminals();
  const { connection, openList } = useRecordings();
  const store = React.useMemo(openList, [openList]);
  React.useEffect(() => {
    void store.load();
    return () => store.dispose();
  }, [store]);
  useChanges(store.changed);
  const { items, problem } = store;
  const late = useAfter(300);
  const content = React.useRef<HTMLDivElement>(null);
  useKeptFocus(content, FOCUS);
  return (
    <div ref={content} className="jp-Cabinet-recordings" tabIndex={-1} data-first-focus>
      <h2 className="jp-Cabinet-recordings-title">{trans.__('Recordings')}</h2>
      <OfflineStrip connection={connection} trans={trans} />
      {problem !== null && <p role="alert">{visible(problem)}</p>}
      {items === null && problem === null && late && <p>{trans.__('Loading recordings')}</p>}
      {items?.length === 0 && (
        <Card title={trans.__('No recordings yet')}>
          {trans.__(
            'Terminals with an agent are recorded. Other terminals are recorded while someone has Recording turned on.'
          )}
        </Card>
      )}
      {items !== null && items.length > 0 && (
        <ul className="jp-Cabinet-plain-list" aria-label={trans.__('Recordings')}>
          {items.map(item => (
            <Row key={item.id} item={item} store={store} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Row({ item, store }: { item: Recording; store: RecordingListStore }): React.ReactElement {
  const { complain, run, trans } = useTerminals();
  const { connection } = useRecordings();
  useChanges(connection.changed);
  const seconds = item.parts.reduce((sum, part) => sum + part.seconds, 0);
  const bytes = item.parts.reduce((sum, part) => sum + part.bytes, 0);
  const isLive = item.ended_at === null;
  const name = visible(item.name);
  const second = [
    visible(item.owner),
    when(item.started_at, new Date(), trans),
    duration(seconds, trans),
    size(bytes)
  ].join(', ');
  const remove = async () => {
    const { button } = await showDialog({
      title: trans.__('Delete the recording of “%1”?', name),
      body: trans.__('It cannot be restored. The run, its events and its changes stay.'),
      buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Delete') })],
      defaultButton: 0
    });
    if (button.accept) {
      await store.remove(item.id).catch(complain);
    }
  };
  return (
    <li className="jp-Cabinet-recording">
      <span className="jp-Cabinet-row-main" title={fullTime(item.started_at)}>
        <span className="jp-Cabinet-row-title">
          {isLive && <Icon icon={recordIcon} className="jp-mod-on" />}
          {name}
        </span>
        <span className="jp-Cabinet-row-second">
          {isLive ? trans.__('recording now, %1', second) : second}
        </span>
      </span>
      <Button
        icon={runIcon}
        label={trans.__('Play')}
        title={trans.__('Play the recording of %1', name)}
        onClick={() => run(Commands.playRecording, { id: item.id })}
      />
      <Button
        bare
        icon={downloadIcon}
        label={trans.__('Download the recording of %1', name)}
        disabled={!item.parts.length}
        onClick={() => download(item, store, complain)}
      />
      {!isLive && mayDelete(item, connection) && (
        <Button
          bare
          icon={deleteIcon}
          label={trans.__('Delete the recording of %1', name)}
          onClick={() => void remove()}
        />
      )}
    </li>
  );
}

/** Each part is a separate file that asciinema can play. */
async function download(
  item: Recording,
  store: RecordingListStore,
  complain: (reason: unknown) => void
): Promise<void> {
  try {
    for (const part of item.parts) {
      const url = URL.createObjectURL(new Blob([await store.readPart(item.id, part.number)]));
      const link = document.createElement('a');
      link.href = url;
      link.download = `terminal-${item.id}${part.number ? `-${part.number}` : ''}.cast`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url));
    }
  } catch (reason) {
    complain(reason);
  }
}
