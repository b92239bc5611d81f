/**
 * One session in the list.
 */
import * as React from 'react';

import type { CliSession } from '../../api/types';
import { cost } from '../../runs';
import { fullTime, isoTime, when } from '../../shared/time';
import { visible } from '../../shared/untrusted';
import { Untrusted } from '../../shared/views/Untrusted';
import { gradeText, lengthText, titleOf } from '../stores/labels';
import { usePastSessions, useRuntimeTitle } from './services';
import { StarButton } from './StarButton';

export function SessionRow(props: {
  session: CliSession;
  isOpen: boolean;
  isCurrent: boolean;
  onFocus: () => void;
}): React.ReactElement {
  const { isCurrent, isOpen, onFocus, session } = props;
  const { sessions, trans } = usePastSessions();
  const runtimeTitle = useRuntimeTitle();
  const used = session.ended_at === null ? '' : isoTime(session.ended_at);
  const facts = [
    lengthText(session, trans),
    trans._n('%1 instruction', '%1 instructions', session.messages),
    session.errors > 0 && trans._n('%1 error', '%1 errors', session.errors),
    cost(session.cost_usd)
  ].filter(Boolean);
  return (
    <li className="jp-Cabinet-past-row">
      <button
        type="button"
        className="jp-Cabinet-pane-choice jp-Cabinet-past-row-main"
        aria-current={isOpen || undefined}
        tabIndex={isCurrent ? 0 : -1}
        onFocus={onFocus}
        onClick={() => sessions.open(session)}
      >
        <span className="jp-Cabinet-pane-row-head">
          <Untrusted className="jp-Cabinet-pane-title" text={titleOf(session, trans)} />
          <GradeMark session={session} />
        </span>
        <span className="jp-Cabinet-quiet" title={used && fullTime(used)}>
          {[runtimeTitle(session.runtime), used && when(used, new Date(), trans)]
            .filter(Boolean)
            .join(' · ')}
        </span>
        <span className="jp-Cabinet-quiet">{facts.join(' · ')}</span>
        {session.snippet && (
          <Untrusted className="jp-Cabinet-past-snippet" text={session.snippet} />
        )}
        {(session.is_gone || session.marks.tags.length > 0) && (
          <span className="jp-Cabinet-past-tags">
            {session.is_gone && (
              <span className="jp-Cabinet-past-tag">{trans.__('Transcript gone')}</span>
            )}
            {session.marks.tags.map(tag => (
              <Untrusted key={tag} className="jp-Cabinet-past-tag" text={tag} />
            ))}
          </span>
        )}
      </button>
      <StarButton session={session} isCurrent={isCurrent} />
    </li>
  );
}

export function GradeMark({ session }: { session: CliSession }): React.ReactElement | null {
  const { trans } = usePastSessions();
  const text = visible(gradeText(session, trans));
  return session.grade === null ? null : (
    <span
      className="jp-Cabinet-past-grade"
      data-grade={session.grade}
      role="img"
      aria-label={text}
      title={text}
    >
      {session.grade}
    </span>
  );
}
