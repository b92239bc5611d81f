/**
 * Projects, sessions, and the timeline of one of them. In a narrow tab, one after the other.
 */
import { historyIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { EntryMark } from '../../api/types';
import { errorDiscIcon } from '../../shared/icons';
import { Button, Card, Icon, Ring, Strip } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { OfflineStrip } from '../../shared/views/OfflineStrip';
import { Untrusted } from '../../shared/views/Untrusted';
import { useArrows } from '../../shared/views/useArrows';
import { NO_FILTER } from '../stores/sessionList';
import { ContinueDialog } from './ContinueDialog';
import { DetailsDialog } from './DetailsDialog';
import { NoteDialog } from './NoteDialog';
import { ProjectColumn } from './ProjectColumn';
import { usePastSessions } from './services';
import { SessionFilters } from './SessionFilters';
import { SessionRow } from './SessionRow';
import { TimelinePane } from './TimelinePane';

export function SessionsPane(): React.ReactElement {
  const { connection, sessions, trans } = usePastSessions();
  useChanges(sessions.changed, connection.changed);
  const [form, setForm] = React.useState<'continue' | 'details' | EntryMark | null>(null);
  const { indexing, problem, timeline } = sessions;
  React.useEffect(() => {
    if (sessions.items === null) {
      void sessions.refresh();
    }
  }, [sessions]);
  return (
    <>
      <div
        className={`jp-Cabinet-pane jp-Cabinet-past ${timeline ? 'jp-mod-open' : ''}`.trim()}
        tabIndex={-1}
        data-first-focus
      >
        <OfflineStrip connection={connection} trans={trans} isEmpty={sessions.items === null} />
        {indexing > 0 && (
          <Strip icon={<Ring />}>
            <span role="status">
              {trans._n('Reading %1 session…', 'Reading %1 sessions…', indexing)}
            </span>
          </Strip>
        )}
        {problem !== null && connection.status !== 'offline' && (
          <Strip
            tone="warning"
            icon={<Icon icon={errorDiscIcon} />}
            actions={<Button label={trans.__('Reload')} onClick={() => void sessions.refresh()} />}
          >
            <span role="status">
              <Untrusted text={problem} />
            </span>
          </Strip>
        )}
        <div className="jp-Cabinet-past-columns">
          <ProjectColumn />
          <section className="jp-Cabinet-past-sessions" aria-label={trans.__('Sessions')}>
            <SessionFilters />
            <List />
          </section>
          {timeline ? (
            <TimelinePane
              key={timeline.session.id}
              timeline={timeline}
              onContinue={() => setForm('continue')}
              onDetails={() => setForm('details')}
              onNote={setForm}
            />
          ) : (
            <section className="jp-Cabinet-past-timeline" aria-label={trans.__('Timeline')}>
              <Card title={trans.__('No session selected')}>
                {trans.__('Select a session to read it.')}
              </Card>
            </section>
          )}
        </div>
      </div>
      {form === 'continue' && timeline && (
        <ContinueDialog timeline={timeline} onClose={() => setForm(null)} />
      )}
      {form === 'details' && timeline && (
        <DetailsDialog timeline={timeline} onClose={() => setForm(null)} />
      )}
      {form !== null && typeof form === 'object' && timeline && (
        <NoteDialog timeline={timeline} mark={form} onClose={() => setForm(null)} />
      )}
    </>
  );
}

function List(): React.ReactElement | null {
  const { announce, connection, sessions, trans } = usePastSessions();
  const { items, problem, timeline, total } = sessions;
  const list = React.useRef<HTMLUListElement>(null);
  const arrows = useArrows(list, '.jp-Cabinet-past-row-main', items?.length ?? 0);
  const shown = items?.length ?? null;
  React.useEffect(() => {
    if (shown !== null) {
      announce(trans._n('%1 session shown.', '%1 sessions shown.', shown));
    }
  }, [announce, shown, trans]);
  if (items === null) {
    return problem === null ? <Loading label={trans.__('Loading the sessions')} /> : null;
  }
  if (items.length === 0 && !sessions.hasMore) {
    return <Empty />;
  }
  return (
    <div className="jp-Cabinet-pane-scroll">
      {items.length === 0 && (
        <p className="jp-Cabinet-quiet">
          {trans.__('Nothing was found yet. The search has not read all sessions.')}
        </p>
      )}
      <ul
        ref={list}
        className="jp-Cabinet-plain-list jp-Cabinet-pane-rows"
        onKeyDown={arrows.onKeyDown}
      >
        {items.map((session, index) => (
          <SessionRow
            key={session.id}
            session={session}
            isOpen={session.id === timeline?.session.id}
            isCurrent={index === arrows.current}
            onFocus={() => arrows.setCurrent(index)}
          />
        ))}
      </ul>
      {sessions.hasMore && (
        <div className="jp-Cabinet-past-more">
          <Button
            label={trans.__('Show more')}
            busy={sessions.isLoadingMore}
            disabled={!connection.online}
            onClick={() => void sessions.loadMore()}
          />
          <span className="jp-Cabinet-quiet">{trans.__('%1 of %2', items.length, total)}</span>
        </div>
      )}
    </div>
  );
}

function Empty(): React.ReactElement {
  const { sessions, trans } = usePastSessions();
  if (sessions.projects?.enabled === false) {
    return (
      <Card title={trans.__('Sessions are not indexed')}>
        {trans.__(
          'The index is switched off on this server. To switch it on, set c.CabinetApp.session_index = True in its configuration.'
        )}
      </Card>
    );
  }
  if (sessions.isFiltered) {
    return (
      <Card
        title={trans.__('No matching sessions')}
        actions={
          <Button
            label={trans.__('Clear the filters')}
            onClick={() => void sessions.narrow(NO_FILTER)}
          />
        }
      >
        {trans.__('No sessions match your search and filters.')}
      </Card>
    );
  }
  return (
    <Card icon={<Icon icon={historyIcon} />} title={trans.__('No sessions yet')}>
      {sessions.indexing > 0
        ? trans.__('The sessions appear here as soon as they have been read.')
        : trans.__(
            'When you use an agent CLI, in JupyterLab or in a terminal elsewhere, its sessions appear here.'
          )}
    </Card>
  );
}
