/**
 * What agents did: filters, the list, its export.
 */
import { addIcon, downloadIcon, historyIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { errorDiscIcon } from '../../shared/icons';
import { Button, Card, Icon, Strip } from '../../shared/views/components';
import { OfflineStrip } from '../../shared/views/OfflineStrip';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Untrusted } from '../../shared/views/Untrusted';
import { NO_FILTER } from '../stores/record';
import { NewRunDialog } from './NewRunDialog';
import { RecordFilters } from './RecordFilters';
import { RecordRow } from './RecordRow';
import { useRecord, useWhyNotRun } from './services';

export function RecordPane(): React.ReactElement {
  const { announce, askForRun, connection, newRun, record, trans } = useRecord();
  useChanges(record.changed, newRun.changed, connection.changed);
  const why = useWhyNotRun();
  React.useEffect(() => void record.load(), [record]);
  const count = record.items?.length ?? null;
  React.useEffect(() => {
    if (count !== null) {
      announce(trans._n('%1 run shown.', '%1 runs shown.', count));
    }
  }, [announce, count, trans]);
  return (
    <>
      <div className="jp-Cabinet-whole-record" tabIndex={-1} data-first-focus>
        <header className="jp-Cabinet-record-top">
          <h2>{trans.__('Record')}</h2>
          <span className="jp-Cabinet-spring" />
          {(['jsonl', 'ipynb'] as const).map(format => (
            <Button
              key={format}
              icon={downloadIcon}
              label={format === 'jsonl' ? trans.__('Export JSONL') : trans.__('Export notebook')}
              disabled={!record.items?.length || !connection.online}
              busy={record.isExporting}
              onClick={async () => save(await record.export(format), `record.${format}`)}
            />
          ))}
          <Button
            filled
            icon={addIcon}
            label={trans.__('New run…')}
            blocked={why}
            onClick={askForRun}
          />
        </header>
        <OfflineStrip connection={connection} trans={trans} />
        <RecordFilters />
        {record.problem && (
          <Strip
            tone="warning"
            icon={<Icon icon={errorDiscIcon} />}
            actions={<Button label={trans.__('Reload')} onClick={() => void record.load()} />}
          >
            <span role="status">
              <Untrusted text={record.problem} />
            </span>
          </Strip>
        )}
        <List />
      </div>
      {newRun.isShown && <NewRunDialog />}
    </>
  );
}

function List(): React.ReactElement | null {
  const { askForRun, connection, record, trans } = useRecord();
  const why = useWhyNotRun();
  const { items } = record;
  const list = React.useRef<HTMLUListElement>(null);
  const [current, setCurrent] = React.useState(0);
  if (items === null) {
    return record.problem ? null : <Loading label={trans.__('Loading the record')} />;
  }
  if (items.length === 0) {
    return record.isFiltered ? (
      <Card
        title={trans.__('No matching runs')}
        actions={
          <Button
            label={trans.__('Clear the filters')}
            onClick={() => void record.narrow(NO_FILTER)}
          />
        }
      >
        {trans.__('None of the runs that you can view match these filters.')}
      </Card>
    ) : (
      <Card
        icon={<Icon icon={historyIcon} />}
        title={trans.__('No runs yet')}
        actions={<Button label={trans.__('New run…')} blocked={why} onClick={askForRun} />}
      >
        {trans.__('Every run is listed here, with its approvals, its changes and its cost.')}
      </Card>
    );
  }
  const at = Math.min(current, items.length - 1);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const heads = [...list.current!.querySelectorAll<HTMLElement>('.jp-Cabinet-record-head')];
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: heads.length - 1 }[event.key];
    if (next !== undefined && heads.includes(event.target as HTMLElement) && heads[next]) {
      event.preventDefault();
      setCurrent(next);
      heads[next].focus();
    }
  };
  return (
    <>
      <ul
        ref={list}
        className="jp-Cabinet-record-rows"
        aria-label={trans.__('Runs')}
        onKeyDown={onKeyDown}
      >
        {items.map((entry, index) => (
          <RecordRow
            key={entry.run.id}
            entry={entry}
            isCurrent={index === at}
            onFocus={() => setCurrent(index)}
          />
        ))}
      </ul>
      {record.hasOlder && (
        <div className="jp-Cabinet-record-older">
          <Button
            label={trans.__('Show older')}
            busy={record.isLoadingOlder}
            disabled={!connection.online}
            onClick={() => void record.loadOlder()}
          />
        </div>
      )}
    </>
  );
}

function save(file: Blob | null, name: string): void {
  if (file !== null) {
    const url = URL.createObjectURL(file);
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url));
  }
}
