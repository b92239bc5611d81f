/**
 * What came of a run: the end of its answer, what it has changed, and the way back.
 */
import { redoIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { ChangeCounts, Changes, Run } from '../../api/types';
import { Answer } from '../../runs/views';
import { diffIcon } from '../../shared/icons';
import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import {
  besideLabel,
  certainFiles,
  countLabel,
  isReverted,
  lastWords,
  nothingLabel,
  wayBackLabel
} from '../stores/labels';
import { Counts } from './Counts';
import { Refusal } from './Refusal';
import { useChangesServices } from './services';

export function AnswerCard(props: {
  run: Run;
  onReview: (() => void) | null;
}): React.ReactElement | null {
  const { run, onReview } = props;
  const { readWhole, rendermime, trans } = useChangesServices();
  const { cut, text } = run.result ?? { cut: false, text: '' };
  React.useEffect(() => void (cut && readWhole(run)), [cut, readWhole, run]);
  const words = cut ? '' : lastWords(text);
  const { changed } = run;
  if (!words && !changed) {
    return null;
  }
  return (
    <section className="jp-Cabinet-answer-card" aria-label={trans.__('Answer')}>
      {words && <Answer text={words} rendermime={rendermime} />}
      {changed &&
        (changed.files > 0 ? (
          <Changed run={run} counts={changed} onReview={onReview} />
        ) : (
          <Unchanged run={run} />
        ))}
    </section>
  );
}

/** There is nothing to review or to undo. */
function Unchanged({ run }: { run: Run }): React.ReactElement {
  const { changes, trans } = useChangesServices();
  useChanges(changes.changed);
  React.useEffect(() => void changes.read(run), [changes, run]);
  const found = changes.of(run);
  return <p className="jp-Cabinet-quiet">{found && nothingLabel(found, trans)}</p>;
}

function Changed(props: {
  run: Run;
  counts: ChangeCounts;
  onReview: (() => void) | null;
}): React.ReactElement {
  const { counts, onReview, run } = props;
  const { changes, mayDecide, trans } = useChangesServices();
  useChanges(changes.changed);
  React.useEffect(() => void changes.read(run), [changes, run]);
  const found = changes.of(run);
  return (
    <>
      <div className="jp-Cabinet-answer-changes">
        {found && isReverted(found) ? (
          <span>{trans.__('The changes were undone.')}</span>
        ) : (
          <>
            <span>{countLabel(counts, trans)}</span>
            <Counts counts={counts} trans={trans} />
          </>
        )}
        <span className="jp-Cabinet-spring" />
        {onReview && <Button icon={diffIcon} label={trans.__('Review')} onClick={onReview} />}
        {found && certainFiles(found).length > 0 && mayDecide(run) && (
          <WayBack run={run} found={found} />
        )}
      </div>
      {found && certainFiles(found).length === 0 && (
        <p className="jp-Cabinet-quiet">{besideLabel(found, trans)}</p>
      )}
      {onReview && <Refusal run={run} />}
    </>
  );
}

/** Reverts all changes of a run, or restores them. */
export function WayBack({ run, found }: { run: Run; found: Changes }): React.ReactElement {
  const reverted = isReverted(found);
  const { announce, changes, trans } = useChangesServices();
  return (
    <Button
      icon={reverted ? redoIcon : undoIcon}
      label={wayBackLabel(found, trans)}
      title={
        reverted
          ? trans.__('Restore the changes of this run')
          : found.partial
            ? trans.__(
                'Undo the changes of this run, but only in the files that Cabinet could compare. %1',
                found.reason
              )
            : trans.__('Undo the changes of this run. Your later edits are kept.')
      }
      busy={changes.isBusy(run)}
      onClick={async () => {
        if (await changes.decide(run, reverted ? 'undo' : 'revert')) {
          announce(
            reverted ? trans.__('The changes were restored.') : trans.__('The changes were undone.')
          );
        }
      }}
    />
  );
}
