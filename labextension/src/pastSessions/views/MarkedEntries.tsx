/**
 * The bookmarks and notes of a session: a list that jumps to them, and what their last change has reported.
 */
import { closeIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { errorDiscIcon } from '../../shared/icons';
import { Button, Icon, Strip } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { kindLabel } from '../stores/labels';
import type { TimelineMarks } from '../stores/timelineMarks';
import { usePastSessions } from './services';
import { useArrows } from '../../shared/views/useArrows';

export function MarkedEntries({ marks }: { marks: TimelineMarks }): React.ReactElement {
  const { trans } = usePastSessions();
  const list = React.useRef<HTMLUListElement>(null);
  const items = marks.items ?? [];
  const arrows = useArrows(list, 'button', items.length);
  if (items.length === 0) {
    return (
      <p className="jp-Cabinet-past-none">
        {trans.__('Bookmark an entry, or write a note on it, to find it here.')}
      </p>
    );
  }
  return (
    <ul
      ref={list}
      className="jp-Cabinet-plain-list jp-Cabinet-past-marks"
      aria-label={trans.__('Bookmarks and notes')}
      onKeyDown={arrows.onKeyDown}
    >
      {items.map((item, index) => (
        <li key={item.entry}>
          <button
            type="button"
            className="jp-Cabinet-row-button jp-Cabinet-past-mark"
            tabIndex={index === arrows.current ? 0 : -1}
            onFocus={() => arrows.setCurrent(index)}
            onClick={() => marks.open(item)}
          >
            <span className="jp-Cabinet-past-mark-text">
              <strong>{kindLabel(item, trans)}</strong> <Untrusted text={item.text} />
            </span>
            {item.note && (
              <Untrusted className="jp-Cabinet-past-mark-text jp-Cabinet-quiet" text={item.note} />
            )}
            {item.place === null && (
              <span className="jp-Cabinet-quiet">{trans.__('On another branch')}</span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A note that was removed, with Undo; or why a change was refused. */
export function MarkReport({ marks }: { marks: TimelineMarks }): React.ReactElement | null {
  const { connection, trans } = usePastSessions();
  const { problem, removed } = marks;
  const close = (
    <Button bare icon={closeIcon} label={trans.__('Close')} onClick={() => marks.dismiss()} />
  );
  if (problem !== null) {
    return (
      <Strip tone="warning" icon={<Icon icon={errorDiscIcon} />} actions={close}>
        <span role="status">
          <Untrusted text={problem} />
        </span>
      </Strip>
    );
  }
  return removed === null ? null : (
    <Strip
      actions={
        <>
          <Button
            icon={undoIcon}
            label={trans.__('Undo')}
            disabled={!connection.online}
            onClick={() => void marks.restore()}
          />
          {close}
        </>
      }
    >
      <span role="status">{trans.__('The note was removed.')}</span>
    </Strip>
  );
}
