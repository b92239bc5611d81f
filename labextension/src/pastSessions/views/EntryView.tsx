/**
 * One entry of a timeline: an instruction, an answer, a folded thought, a folded call with its result, an error.
 */
import * as React from 'react';

import type { EntryMark, TimelineEntry } from '../../api/types';
import { Answer, Fold } from '../../runs/views';
import { clock, duration, fullTime, isoTime } from '../../shared/time';
import { Button } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { actionGist, kindLabel } from '../stores/labels';
import type { TimelineStore } from '../stores/timeline';
import { markOf } from '../stores/timelineMarks';
import { ActionView } from './ActionView';
import { bookmarkFilledIcon, bookmarkIcon, noteIcon } from './icons';
import { usePastSessions, useRuntimeTitle } from './services';

/** Shorter times until the next entry are not shown. */
const NOTABLE_SECONDS = 5;

/** Null: it is not read yet. */
export function EntryView(props: {
  entry: TimelineEntry | null;
  timeline: TimelineStore;
  isMarked: boolean;
  onNote: (mark: EntryMark) => void;
}): React.ReactElement {
  const { entry, isMarked, onNote, timeline } = props;
  const { trans } = usePastSessions();
  if (entry === null) {
    return (
      <div className="jp-Cabinet-past-entry jp-mod-missing" role="listitem">
        {trans.__('Loading')}
      </div>
    );
  }
  const { kind, side } = entry;
  const isFailed = Boolean(entry.is_error) || kind === 'error';
  const classes = [
    'jp-Cabinet-past-entry',
    side && 'jp-mod-side',
    isMarked && 'jp-mod-marked',
    isFailed && 'jp-mod-error'
  ];
  return (
    <div className={classes.filter(Boolean).join(' ')} role="listitem" data-kind={kind}>
      <Head entry={entry} timeline={timeline} onNote={onNote} />
      <Body entry={entry} />
      {entry.is_cut && (
        <p className="jp-Cabinet-quiet">{trans.__('Only the beginning is shown.')}</p>
      )}
      {entry.note && (
        <div className="jp-Cabinet-past-note" role="note" aria-label={trans.__('Note')}>
          <Untrusted block className="jp-Cabinet-past-text" text={entry.note} />
        </div>
      )}
    </div>
  );
}

function Head(props: {
  entry: TimelineEntry;
  timeline: TimelineStore;
  onNote: (mark: EntryMark) => void;
}): React.ReactElement {
  const { entry, onNote, timeline } = props;
  const { trans } = usePastSessions();
  const runtimeTitle = useRuntimeTitle();
  const { at = null, kind, seconds, side } = entry;
  const isAnswer = kind === 'assistant' && !side;
  const time = at === null ? '' : isoTime(at);
  return (
    <div className="jp-Cabinet-past-entry-head">
      <strong>{isAnswer ? runtimeTitle(timeline.session.runtime) : kindLabel(entry, trans)}</strong>
      {time && (
        <time className="jp-Cabinet-quiet" dateTime={time} title={fullTime(time)}>
          {clock(new Date(time))}
        </time>
      )}
      {(seconds ?? 0) >= NOTABLE_SECONDS && (
        <span className="jp-Cabinet-quiet" title={trans.__('Until the next entry')}>
          {duration(seconds!, trans)}
        </span>
      )}
      <Marking entry={entry} timeline={timeline} onNote={onNote} />
    </div>
  );
}

/** The buttons for a bookmark and a note. */
function Marking(props: {
  entry: TimelineEntry;
  timeline: TimelineStore;
  onNote: (mark: EntryMark) => void;
}): React.ReactElement {
  const { onNote, timeline } = props;
  const { connection, trans } = usePastSessions();
  const mark = markOf(props.entry);
  const { bookmarked, note } = mark;
  return (
    <span className="jp-Cabinet-past-marking">
      <Button
        bare
        icon={bookmarked ? bookmarkFilledIcon : bookmarkIcon}
        label={trans.__('Bookmark')}
        title={bookmarked ? trans.__('Remove the bookmark') : trans.__('Bookmark')}
        pressed={bookmarked}
        disabled={!connection.online}
        onClick={() => void timeline.marks.toggle(mark)}
      />
      <Button
        bare
        icon={noteIcon}
        label={note ? trans.__('Edit the note…') : trans.__('Add a note…')}
        disabled={!connection.online}
        onClick={() => onNote(mark)}
      />
    </span>
  );
}

function Body({ entry }: { entry: TimelineEntry }): React.ReactElement {
  const { rendermime, trans } = usePastSessions();
  const { kind, text = '' } = entry;
  switch (kind) {
    case 'assistant':
      return <Answer text={text} rendermime={rendermime} />;
    case 'thinking':
      return <Fold head={<em>{trans.__('Thinking')}</em>} note="" body={text} />;
    case 'tool_call':
      return <Call entry={entry} />;
    case 'model_change':
      return <Untrusted text={text || entry.model || ''} />;
    case 'tool_result':
    case 'other':
      return (
        <Fold
          head={<Untrusted className="jp-Cabinet-code" text={text.split('\n')[0]} />}
          note=""
          body={text}
        />
      );
    default:
      return <Untrusted block className="jp-Cabinet-past-text" text={text} />;
  }
}

/** Unfolded, what the call was given, and its result. */
function Call({ entry }: { entry: TimelineEntry }): React.ReactElement {
  const { trans } = usePastSessions();
  const { action, documents = {}, is_error, result, tool = '' } = entry;
  const lines = (result ?? '').split('\n').filter(Boolean).length;
  const note = is_error
    ? trans.__('failed')
    : result === null || result === undefined
      ? trans.__('no result')
      : trans._n('%1 line', '%1 lines', lines);
  return (
    <Fold
      head={
        <>
          <strong>
            <Untrusted text={tool} />
          </strong>{' '}
          <Untrusted className="jp-Cabinet-code" text={actionGist(action)} />
        </>
      }
      note={note}
      body={() => (
        <div className="jp-Cabinet-past-call">
          {action && <ActionView action={action} documents={documents} />}
          {result && (
            <>
              <h3>{trans.__('Result')}</h3>
              <Untrusted block className="jp-Cabinet-fold-body" text={result} />
            </>
          )}
        </div>
      )}
    />
  );
}
