/**
 * What one run has changed, file by file, to be accepted or reverted: the content of a tab.
 */
import type { Extension } from '@codemirror/state';
import { caretDownIcon, caretUpIcon, checkIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button, Card } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { type IFocusTargets, useKeptFocus } from '../../shared/views/keptFocus';
import { OfflineStrip } from '../../shared/views/OfflineStrip';
import { Untrusted } from '../../shared/views/Untrusted';
import { certainFiles, decisionLabel, nothingLabel } from '../stores/labels';
import type { ReviewStore } from '../stores/review';
import { Refusal } from './Refusal';
import { ReviewFiles } from './ReviewFiles';
import { reviewKey } from './reviewKeys';
import { ReviewPart } from './ReviewPart';
import { useReviewServices } from './services';

/** After a decision its button is gone. In a change, the keys of the review work. */
const FOCUS: IFocusTargets = {
  parts: [['.jp-Cabinet-review-part', '']],
  places: ['.jp-Cabinet-review-part.jp-mod-current']
};

export function ReviewPane({ review }: { review: ReviewStore }): React.ReactElement {
  const { connection, trans } = useReviewServices();
  const content = React.useRef<HTMLDivElement>(null);
  useKeptFocus(content, FOCUS);
  useChanges(review.changed);
  const [commented, setCommented] = React.useState<string | null>(null);
  React.useEffect(() => void review.open(), [review]);
  const { files, found } = review;
  const here = `${review.path}#${review.index}`;
  const onKeyDown = useReviewKeys(review, () => setCommented(here));
  if (found === null) {
    return (
      <Card title={trans.__('There is nothing to review')}>
        {trans.__('The changes of this run were not kept.')}
      </Card>
    );
  }
  const empty = found !== undefined && files.length === 0;
  return (
    <div
      ref={content}
      className="jp-Cabinet-review"
      tabIndex={-1}
      data-first-focus
      onKeyDown={onKeyDown}
    >
      <ReviewBar review={review} />
      <OfflineStrip connection={connection} trans={trans} />
      <Refusal run={review.run} />
      {empty ? (
        <Card title={nothingLabel(found, trans)}>{found.reason}</Card>
      ) : (
        <div className="jp-Cabinet-review-body">
          <ReviewFiles review={review} />
          <div className="jp-Cabinet-review-changes">
            <ReviewFile review={review} commented={commented} onComment={setCommented} />
          </div>
        </div>
      )}
    </div>
  );
}

function useReviewKeys(
  review: ReviewStore,
  comment: () => void
): (event: React.KeyboardEvent) => void {
  const { announce, mayDecide, trans } = useReviewServices();
  return event => {
    const key = reviewKey(event);
    if (key === null) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const said = {
      accept: trans.__('Accepted.'),
      revert: trans.__('Reverted.'),
      undo: trans.__('Undone.')
    };
    if (key === 'next' || key === 'previous') {
      void review.move(key === 'next' ? 1 : -1).then(moved => {
        if (!moved) {
          announce(
            key === 'next'
              ? trans.__('This is the last change.')
              : trans.__('This is the first change.')
          );
        }
      });
    } else if (!mayDecide(review.run)) {
      announce(trans.__('Only the owner of the run can decide about its changes.'));
    } else if (key === 'comment') {
      comment();
    } else {
      void review.decide(key).then(done => {
        const count = trans.__('%1 of %2 reviewed.', review.reviewed, review.files.length);
        if (done) {
          announce(`${said[key]} ${count}`);
        }
      });
    }
  };
}

function ReviewBar({ review }: { review: ReviewStore }): React.ReactElement {
  const { changes, mayDecide, trans } = useReviewServices();
  const { files, index, parts, run, sideBySide } = review;
  const busy = changes.isBusy(run);
  const open = files.filter(file => !file.decision);
  return (
    <div className="jp-Cabinet-review-bar" role="toolbar" aria-label={trans.__('Review')}>
      <strong>{trans.__('Review')}</strong>
      <Untrusted className="jp-Cabinet-review-title" text={run.instruction} />
      <span className="jp-Cabinet-spring" />
      <span
        className="jp-Cabinet-review-modes"
        role="group"
        aria-label={trans.__('Layout of the changes')}
      >
        <Button
          label={trans.__('Side by side')}
          pressed={sideBySide}
          onClick={() => review.setSideBySide(true)}
        />
        <Button
          label={trans.__('Inline')}
          pressed={!sideBySide}
          onClick={() => review.setSideBySide(false)}
        />
      </span>
      <span className="jp-Cabinet-review-steps">
        <Button
          bare
          icon={caretUpIcon}
          label={trans.__('Previous change (Shift+F8)')}
          onClick={() => void review.move(-1)}
        />
        <span className="jp-Cabinet-review-place">
          {parts.length > 0 ? trans.__('Change %1 of %2', index + 1, parts.length) : ''}
        </span>
        <Button
          bare
          icon={caretDownIcon}
          label={trans.__('Next change (F8)')}
          onClick={() => void review.move(1)}
        />
      </span>
      {open.length > 0 && mayDecide(run) && (
        <>
          {certainFiles({ files: open }).length > 0 && (
            <Button
              icon={undoIcon}
              label={trans.__('Revert all')}
              busy={busy}
              onClick={() => void review.decideFiles('revert', null)}
            />
          )}
          <Button
            filled
            icon={checkIcon}
            label={trans.__('Accept all')}
            busy={busy}
            onClick={() => void review.decideFiles('accept', null)}
          />
        </>
      )}
    </div>
  );
}

function ReviewFile(props: {
  review: ReviewStore;
  commented: string | null;
  onComment: (place: string | null) => void;
}): React.ReactElement | null {
  const { commented, onComment, review } = props;
  const { trans } = useReviewServices();
  const { diff, file, parts, path } = review;
  const language = useLanguage(diff?.language ?? '', path ?? '');
  if (!file) {
    return null;
  }
  return (
    <article aria-label={file.path}>
      <FileHead review={review} />
      {file.uncertain && (
        <p className="jp-Cabinet-quiet">{trans.__('Changed while another run was active here.')}</p>
      )}
      {file.mixed && (
        <p className="jp-Cabinet-quiet">
          {trans.__('Somebody saved the same lines while the agent was working.')}
        </p>
      )}
      {diff?.note && <p className="jp-Cabinet-quiet">{diff.note}</p>}
      {parts.map((part, index) => {
        const place = `${path}#${index}`;
        return (
          <ReviewPart
            key={place}
            review={review}
            part={part}
            index={index}
            language={language}
            commenting={commented === place}
            onComment={open => onComment(open ? place : null)}
          />
        );
      })}
    </article>
  );
}

function FileHead({ review }: { review: ReviewStore }): React.ReactElement | null {
  const { changes, mayDecide, openDocument, trans } = useReviewServices();
  const { file, run } = review;
  if (!file) {
    return null;
  }
  const busy = changes.isBusy(run);
  const decided = decisionLabel(file, trans);
  const decide = (decision: 'accept' | 'revert' | 'undo') =>
    void review.decideFiles(decision, file.path);
  return (
    <div className="jp-Cabinet-review-file-head">
      <Untrusted className="jp-Cabinet-review-file-title" text={file.path} />
      {file.kind !== 'deleted' && !file.folder && (
        <Button link label={trans.__('Open')} onClick={() => openDocument(file.path)} />
      )}
      <span className="jp-Cabinet-spring" />
      {decided && <Untrusted className="jp-Cabinet-quiet" text={decided} />}
      {mayDecide(run) &&
        (file.decision ? (
          <Button label={trans.__('Undo')} busy={busy} onClick={() => decide('undo')} />
        ) : (
          <span className="jp-Cabinet-review-file-decide">
            <Button
              icon={undoIcon}
              label={trans.__('Revert file')}
              busy={busy}
              onClick={() => decide('revert')}
            />
            <Button
              icon={checkIcon}
              label={trans.__('Accept file')}
              busy={busy}
              onClick={() => decide('accept')}
            />
          </span>
        ))}
    </div>
  );
}

const PLAIN: Extension = [];

function useLanguage(name: string, path: string): Extension {
  const { language } = useReviewServices();
  const [found, setFound] = React.useState<Extension>(PLAIN);
  React.useEffect(() => {
    let gone = false;
    setFound(PLAIN);
    void language(name, path).then(
      extension => gone || setFound(extension),
      () => undefined // without colours then
    );
    return () => {
      gone = true;
    };
  }, [language, name, path]);
  return found;
}
