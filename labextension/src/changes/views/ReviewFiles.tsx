/**
 * The list of files in a review, what was not compared, and whose run it is.
 */
import { checkIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { ChangedFile } from '../../api/types';
import { Button, Icon } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { secondText } from '../../runs';
import { countLabel, decisionLabel, fileNote, leftOutNote } from '../stores/labels';
import type { ReviewStore } from '../stores/review';
import { Counts } from './Counts';
import { useReviewServices } from './services';

export function ReviewFiles({ review }: { review: ReviewStore }): React.ReactElement {
  const { openRun, trans } = useReviewServices();
  const { files, found, reviewed, run } = review;
  return (
    <nav className="jp-Cabinet-review-files" aria-label={trans.__('Changed files')}>
      <div className="jp-Cabinet-review-files-head">
        {found && <strong>{countLabel(found.counts, trans)}</strong>}
        {found && <Counts counts={found.counts} trans={trans} />}
        <span className="jp-Cabinet-spring" />
        <span className="jp-Cabinet-quiet">
          {trans.__('%1 of %2 reviewed', reviewed, files.length)}
        </span>
      </div>
      <ul className="jp-Cabinet-plain-list">
        {files.map(file => (
          <FileItem key={file.path} review={review} file={file} />
        ))}
      </ul>
      {found && found.left_out.length > 0 && (
        <>
          <h4 className="jp-Cabinet-review-group">{trans.__('Not compared')}</h4>
          <ul className="jp-Cabinet-plain-list">
            {found.left_out.map(each => (
              <li key={each.path} className="jp-Cabinet-review-left-out">
                <Untrusted text={each.path} />
                <span className="jp-Cabinet-quiet">{leftOutNote(each, trans)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div className="jp-Cabinet-review-run">
        <Untrusted block className="jp-Cabinet-review-instruction" text={run.instruction} />
        <Untrusted
          className="jp-Cabinet-quiet"
          text={`${run.runtime_title}, ${secondText(run, new Date(), trans)}`}
        />{' '}
        <Button link label={trans.__('Open run')} onClick={() => openRun(run)} />
      </div>
    </nav>
  );
}

function FileItem(props: { review: ReviewStore; file: ChangedFile }): React.ReactElement {
  const { file, review } = props;
  const { trans } = useReviewServices();
  const note = fileNote(file, trans);
  const decided = decisionLabel(file, trans);
  return (
    <li>
      <button
        type="button"
        className="jp-Cabinet-review-file"
        aria-current={review.path === file.path || undefined}
        title={file.path}
        onClick={() => void review.select(file.path)}
      >
        <Untrusted className="jp-Cabinet-review-file-name" text={file.path} />
        {note && <span className="jp-Cabinet-quiet">{note}</span>}
        <Counts counts={file.counts} trans={trans} />
        {file.decision && (
          <span title={decided} aria-label={decided} role="img">
            <Icon icon={file.decision.decision === 'accepted' ? checkIcon : undoIcon} />
          </span>
        )}
      </button>
    </li>
  );
}
