/**
 * A question about an edit, at its place in the document: the lines that come, and the answers.
 */
import * as React from 'react';

import type { Approval } from '../../api/types';
import { Commands } from '../../shared/commands';
import { lineDiff } from '../../shared/lineDiff';
import { visible } from '../../shared/untrusted';
import { DiffLines } from '../../shared/views/DiffLines';
import { Button, StateMark, Strip } from '../../shared/views/components';
import { useChanges, useNow } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import { expiryText, shortExpiry, titleText } from '../stores/labels';
import { Answers } from './Answers';
import { Refusal } from './ApprovalCard';
import { ownerOf, useApprovals, useShown } from './services';

type Edit = Approval['edits'][number];

/** What a card about every part says itself: which file, and the change. */
const SHOWN_LABELS: ReadonlySet<string> = new Set(['File', 'Cell']);

/** `index`: which of the question’s edits stands here. Under the first one stand the answers. */
export function ProposalCard(props: { approval: Approval; index: number }): React.ReactElement {
  const { approval, index } = props;
  const { connection, run, shown, store, trans } = useApprovals();
  useChanges(store.changed, connection.changed);
  const now = useNow(true);
  const card = React.useRef<HTMLElement>(null);
  const title = React.useId();
  useShown(card, approval.id, shown);
  const mayAnswer = store.mine.some(({ approval: { id } }) => id === approval.id);
  const edit = approval.edits[index];
  const others = approval.parts.filter(part => !part.changes && !SHOWN_LABELS.has(part.label));
  return (
    <article
      ref={card}
      className="jp-Cabinet-approval jp-Cabinet-proposal"
      aria-labelledby={title}
      data-approvals-focus=""
      data-id={approval.id}
      tabIndex={-1}
    >
      <Strip
        tone="warning"
        icon={<StateMark icon="question" />}
        actions={
          <span className="jp-Cabinet-strip-aside" title={expiryText(approval, now, trans)}>
            {shortExpiry(approval, now, trans)}
          </span>
        }
      >
        <span id={title}>{placeTitle(approval, index, trans)}</span>
      </Strip>
      <Lines edit={edit} />
      {index === 0 && (
        <div className="jp-Cabinet-approval-body">
          {others.map((part, at) => (
            <p key={at} className="jp-Cabinet-quiet">
              <Untrusted text={`${part.label}: ${part.text}`} />
            </p>
          ))}
          <Refusal id={approval.id} />
          {mayAnswer ? (
            <Answers
              approval={approval}
              links={
                <Button link label={trans.__('Details')} onClick={() => run(Commands.approvals)} />
              }
            />
          ) : (
            <p className="jp-Cabinet-quiet">{trans.__('%1 can answer.', ownerOf(approval))}</p>
          )}
        </div>
      )}
    </article>
  );
}

function Lines({ edit }: { edit: Edit }): React.ReactElement {
  const { trans } = useApprovals();
  const lines = React.useMemo(() => lineDiff(edit.old, edit.new), [edit]);
  return <DiffLines whole lines={lines} label={trans.__('Change')} />;
}

function placeTitle(
  approval: Approval,
  index: number,
  trans: ReturnType<typeof useApprovals>['trans']
): string {
  const { edits } = approval;
  return edits.length > 1
    ? trans.__('%1: change %2 of %3', titleText(approval, trans), index + 1, edits.length)
    : trans.__('%1 asks to make this change', visible(approval.runtime_title));
}
