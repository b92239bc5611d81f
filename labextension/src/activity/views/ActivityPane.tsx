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
import { saveFile } from '../../shared/views/saveFile';
import { Untrusted } from '../../shared/views/Untrusted';
import { NO_FILTER } from '../stores/activityList';
import { NewRunDialog } from './NewRunDialog';
import { ActivityFilters } from './ActivityFilters';
import { ActivityRow } from './ActivityRow';
import { useActivity, useWhyNotRun } from './services';

export function ActivityPane(): React.ReactElement {
  const { announce, askForRun, connection, newRun, activity, trans } = useActivity();
  useChanges(activity.changed, newRun.changed, connection.changed);
  const why = useWhyNotRun();
  React.useEffect(() => void activity.load(), [activity]);
  const count = activity.items?.length ?? null;
  React.useEffect(() => {
    if (count !== null) {
      announce(trans._n('%1 run shown.', '%1 runs shown.', count));
    }
  }, [announce, count, trans]);
  return (
    <>
      <div className="jp-Cabinet-whole-activity" tabIndex={-1} data-first-focus>
        <header className="jp-Cabinet-activity-top">
          <h2>{trans.__('Activity')}</h2>
          <span className="jp-Cabinet-spring" />
          {(['jsonl', 'ipynb'] as const).map(format => (
            <Button
              key={format}
              icon={downloadIcon}
              label={format === 'jsonl' ? trans.__('Export JSONL') : trans.__('Export notebook')}
              disabled={!activity.items?.length || !connection.online}
              busy={activity.isExporting}
              onClick={async () => saveFile(await activity.export(format), `activity.${format}`)}
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
        <OfflineStrip connection={connection} trans={trans} isEmpty={activity.items === null} />
        <ActivityFilters />
        {activity.problem && connection.status !== 'offline' && (
          <Strip
            tone="warning"
            icon={<Icon icon={errorDiscIcon} />}
            actions={<Button label={trans.__('Reload')} onClick={() => void activity.load()} />}
          >
            <span role="status">
              <Untrusted text={activity.problem} />
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
  const { askForRun, connection, activity, trans } = useActivity();
  const why = useWhyNotRun();
  const { items } = activity;
  const list = React.useRef<HTMLUListElement>(null);
  const [current, setCurrent] = React.useState(0);
  if (items === null) {
    return activity.problem ? null : <Loading label={trans.__('Loading the activity list')} />;
  }
  if (items.length === 0) {
    return activity.isFiltered ? (
      <Card
        title={trans.__('No matching runs')}
        actions={
          <Button
            label={trans.__('Clear the filters')}
            onClick={() => void activity.narrow(NO_FILTER)}
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
    const heads = [...list.current!.querySelectorAll<HTMLElement>('.jp-Cabinet-activity-head')];
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
        className="jp-Cabinet-plain-list"
        aria-label={trans.__('Runs')}
        onKeyDown={onKeyDown}
      >
        {items.map((entry, index) => (
          <ActivityRow
            key={entry.run.id}
            entry={entry}
            isCurrent={index === at}
            onFocus={() => setCurrent(index)}
          />
        ))}
      </ul>
      {activity.hasOlder && (
        <div className="jp-Cabinet-activity-older">
          <Button
            label={trans.__('Show older')}
            busy={activity.isLoadingOlder}
            disabled={!connection.online}
            onClick={() => void activity.loadOlder()}
          />
        </div>
      )}
    </>
  );
}
