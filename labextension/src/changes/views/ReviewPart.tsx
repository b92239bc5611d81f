/**
 * One change in a review: its lines, what was decided, and a comment that becomes the next instruction.
 */
import type { Extension } from '@codemirror/state';
import { checkIcon, editIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button } from '../../shared/views/components';
import { useSeen } from '../../shared/views/hooks';
import { DiffLines } from '../../shared/views/DiffLines';
import { Untrusted } from '../../shared/views/Untrusted';
import { decisionLabel, partLabel } from '../stores/labels';
import type { DiffPart, ReviewStore } from '../stores/review';
import { endedSidesOf } from '../stores/sides';
import { Comment } from './Comment';
import { drawMerge } from './mergeView';
import { useReviewServices } from './services';

export function ReviewPart(props: {
  review: ReviewStore;
  part: DiffPart;
  index: number;
  language: Extension;
  commenting: boolean;
  onComment: (open: boolean) => void;
}): React.ReactElement {
  const { commenting, index, language, onComment, part, review } = props;
  const { announce, trans } = useReviewServices();
  const sentText = trans.__('The comment was sent as the next instruction.');
  const section = React.useRef<HTMLElement>(null);
  const [sent, setSent] = React.useState(false);
  const closeComment = (isSent: boolean) => {
    setSent(isSent);
    section.current?.focus(); // the keys of the review work again
    onComment(false);
    if (isSent) {
      announce(sentText);
    }
  };
  const current = review.index === index;
  React.useEffect(() => {
    if (current && review.moves > 0) {
      section.current?.focus();
      section.current?.scrollIntoView({ block: 'nearest' });
    }
  }, [current, review.moves]);
  const title = part.title || partLabel(part, trans);
  return (
    <section
      ref={section}
      className={`jp-Cabinet-review-part ${current ? 'jp-mod-current' : ''}`.trim()}
      aria-label={trans.__('Change %1 of %2: %3', index + 1, review.parts.length, title)}
      aria-current={current || undefined}
      tabIndex={-1}
      onFocus={() => current || review.goTo(index)}
    >
      <div className="jp-Cabinet-diff-head">
        <span className="jp-Cabinet-diff-title">{title}</span>
        <span className="jp-Cabinet-spring" />
        <PartActions review={review} part={part} index={index} onComment={() => onComment(true)} />
      </div>
      {part.lines.length > 0 && <PartLines review={review} part={part} language={language} />}
      {part.other_lines.length > 0 && <OtherLines part={part} />}
      {commenting && (
        <Comment
          review={review}
          part={part}
          onClose={() => closeComment(false)}
          onSent={() => closeComment(true)}
        />
      )}
      {sent && !commenting && <p className="jp-Cabinet-review-sent jp-Cabinet-quiet">{sentText}</p>}
    </section>
  );
}

function PartActions(props: {
  review: ReviewStore;
  part: DiffPart;
  index: number;
  onComment: () => void;
}): React.ReactElement | null {
  const { index, onComment, part, review } = props;
  const { changes, mayDecide, trans } = useReviewServices();
  const number = index + 1;
  const decided = decisionLabel(part, trans);
  const busy = changes.isBusy(review.run);
  const may = mayDecide(review.run);
  const act = (decision: 'accept' | 'revert' | 'undo') => {
    review.goTo(index);
    void review.decide(decision);
  };
  return (
    <>
      {decided && <Untrusted className="jp-Cabinet-quiet" text={decided} />}
      {may && review.run.path !== null && (
        <Button
          bare
          icon={editIcon}
          label={trans.__('Comment on change %1', number)}
          title={trans.__('Comment on change %1 in the next instruction (C)', number)}
          onClick={onComment}
        />
      )}
      {may &&
        part.id !== '' &&
        !review.file?.decision &&
        (part.decision ? (
          <Button
            quiet
            label={trans.__('Undo')}
            title={trans.__('Undo the decision on change %1 (U)', number)}
            busy={busy}
            onClick={() => act('undo')}
          />
        ) : (
          <>
            <Button
              quiet
              icon={undoIcon}
              label={trans.__('Revert')}
              title={trans.__('Revert change %1 (R)', number)}
              busy={busy}
              onClick={() => act('revert')}
            />
            <Button
              quiet
              icon={checkIcon}
              label={trans.__('Accept')}
              title={trans.__('Accept change %1 (A)', number)}
              busy={busy}
              onClick={() => act('accept')}
            />
          </>
        ))}
    </>
  );
}

/** Drawn when it is about to be seen: a file may have hundreds of changes. */
function PartLines(props: {
  review: ReviewStore;
  part: DiffPart;
  language: Extension;
}): React.ReactElement {
  const { language, part, review } = props;
  const { trans } = useReviewServices();
  const host = React.useRef<HTMLDivElement>(null);
  const seen = useSeen(host);
  const { sideBySide } = review;
  const sides = endedSidesOf(part);
  const only = sides.old === '' ? 'jp-mod-only-new' : sides.new === '' ? 'jp-mod-only-old' : '';
  React.useEffect(() => {
    if (!seen || !host.current) {
      return;
    }
    const view = drawMerge(
      host.current,
      { ...sides, oldStart: part.old_start, newStart: part.new_start },
      { sideBySide, language, oldLabel: trans.__('Before'), newLabel: trans.__('After') }
    );
    return () => view.dispose();
  }, [seen, sides.old, sides.new, part.old_start, part.new_start, sideBySide, language]);
  return (
    <div
      ref={host}
      className={`jp-Cabinet-review-lines ${only}`.trim()}
      style={seen ? undefined : { minHeight: `${part.lines.length * 1.3}em` }}
    />
  );
}

/** A cell’s outputs and metadata. */
function OtherLines({ part }: { part: DiffPart }): React.ReactElement {
  const { trans } = useReviewServices();
  return (
    <details className="jp-Cabinet-review-other" open={part.lines.length === 0}>
      <summary>{trans.__('Outputs and metadata')}</summary>
      <DiffLines lines={part.other_lines} label={trans.__('Outputs and metadata')} />
    </details>
  );
}
