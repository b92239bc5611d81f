/**
 * One session as people read it, and what can be done with it.
 */
import * as React from 'react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';

import type { EntryMark } from '../../api/types';
import { errorDiscIcon } from '../../shared/icons';
import { Button, Icon, Strip } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Untrusted } from '../../shared/views/Untrusted';
import type { JumpKind, TimelineStore } from '../stores/timeline';
import { EntryView } from './EntryView';
import { MarkedEntries, MarkReport } from './MarkedEntries';
import { usePastSessions } from './services';
import { TimelineHead } from './TimelineHead';
import { TimelineSearchField } from './TimelineSearchField';

/** Pixels above and below the window in which entries are drawn. */
const NEARLY = 300;

export function TimelinePane(props: {
  timeline: TimelineStore;
  onContinue: () => void;
  onDetails: () => void;
  onNote: (mark: EntryMark) => void;
}): React.ReactElement {
  const { onContinue, onDetails, onNote, timeline } = props;
  const { showActivity, trans } = usePastSessions();
  useChanges(timeline.changed, timeline.marks.changed);
  const [areMarksOpen, showMarks] = React.useState(false);
  const { outline, problem, session, startedRun } = timeline;
  return (
    <section className="jp-Cabinet-past-timeline" aria-label={trans.__('Timeline')}>
      <TimelineHead timeline={timeline} onContinue={onContinue} onDetails={onDetails} />
      <TimelineSearchField search={timeline.search} />
      <Jumps timeline={timeline} areMarksOpen={areMarksOpen} showMarks={showMarks} />
      {areMarksOpen && <MarkedEntries marks={timeline.marks} />}
      <MarkReport marks={timeline.marks} />
      {startedRun && (
        <Strip
          tone="brand"
          actions={<Button link label={trans.__('Show activity')} onClick={showActivity} />}
        >
          <span role="status">{trans.__('Run %1 was started.', startedRun.number)}</span>
        </Strip>
      )}
      {problem !== null && (
        <Strip
          tone="warning"
          icon={<Icon icon={errorDiscIcon} />}
          actions={<Button label={trans.__('Reload')} onClick={() => void timeline.load()} />}
        >
          <span role="status">
            <Untrusted text={problem} />
          </span>
        </Strip>
      )}
      {outline === null && problem === null && <Loading label={trans.__('Loading the session')} />}
      {outline?.total === 0 && (
        <p className="jp-Cabinet-past-none">
          {session.is_gone
            ? trans.__('Its CLI has removed the transcript.')
            : trans.__('This session has no entries.')}
        </p>
      )}
      {outline !== null && outline.total > 0 && (
        <Entries timeline={timeline} total={outline.total} onNote={onNote} />
      )}
    </section>
  );
}

function Jumps(props: {
  timeline: TimelineStore;
  areMarksOpen: boolean;
  showMarks: (areOpen: boolean) => void;
}): React.ReactElement {
  const { areMarksOpen, showMarks, timeline } = props;
  const { trans } = usePastSessions();
  const { marks, outline } = timeline;
  const jumps: [JumpKind, string, string][] = [
    ['errors', trans.__('Next error'), trans.__('This session has no errors.')],
    ['people', trans.__('Next instruction'), trans.__('This session has no instructions.')],
    ['edits', trans.__('Next edit'), trans.__('This session has no edits.')]
  ];
  return (
    <div className="jp-Cabinet-past-jumps" role="group" aria-label={trans.__('Go to')}>
      {jumps.map(([kind, label, none]) => (
        <Button
          key={kind}
          label={label}
          blocked={outline && outline[kind].length === 0 ? none : null}
          onClick={() => timeline.jump(kind)}
        />
      ))}
      <Button
        label={trans.__('Bookmarks (%1)', marks.items?.length ?? 0)}
        title={trans.__('Bookmarks and notes')}
        expanded={areMarksOpen}
        onClick={() => showMarks(!areMarksOpen)}
      />
      <span className="jp-Cabinet-spring" />
      {outline && (
        <span className="jp-Cabinet-quiet">
          {trans._n('%1 entry', '%1 entries', outline.total)}
        </span>
      )}
    </div>
  );
}

/** Begins at the chosen entry, and scrolls to another one that is chosen. */
function Entries(props: {
  timeline: TimelineStore;
  total: number;
  onNote: (mark: EntryMark) => void;
}): React.ReactElement {
  const { onNote, timeline, total } = props;
  const { announce, trans } = usePastSessions();
  const list = React.useRef<VirtuosoHandle>(null);
  const latest = React.useRef(total);
  latest.current = total;
  const { current } = timeline;
  React.useEffect(() => {
    if (current !== null) {
      list.current?.scrollToIndex({ index: current.place, align: 'start' });
      announce(trans.__('Entry %1 of %2', current.place + 1, latest.current));
    }
  }, [announce, current, trans]);
  return (
    <Virtuoso
      ref={list}
      className="jp-Cabinet-past-entries"
      role="list"
      aria-label={trans.__('Entries')}
      totalCount={total}
      initialTopMostItemIndex={current?.place ?? 0}
      increaseViewportBy={NEARLY}
      rangeChanged={({ endIndex, startIndex }) => void timeline.show(startIndex, endIndex)}
      itemContent={index => (
        <EntryView
          entry={timeline.entry(index)}
          timeline={timeline}
          isMarked={index === current?.place}
          onNote={onNote}
        />
      )}
    />
  );
}
