/**
 * Questions that this person does not answer, one row each; unfolded they show what was asked, whole.
 */
import { lockIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Approval, ApprovalItem } from '../../api/types';
import {
  askedAgo,
  askedText,
  expiryText,
  gist,
  isYours,
  outcomeIcon,
  outcomeText,
  riskText
} from '../stores/labels';
import { fullTime, when } from '../../shared/time';
import { Icon, StateMark } from '../../shared/views/components';
import { useNow } from '../../shared/views/hooks';
import { visible } from '../../shared/untrusted';
import { Untrusted } from '../../shared/views/Untrusted';
import { Asked, Places } from './ApprovalCard';
import { ownerOf, useApprovals } from './services';

export function OthersRow({ item }: { item: ApprovalItem }): React.ReactElement {
  const { approval, server } = item;
  const { connection, trans } = useApprovals();
  const now = useNow(true);
  return (
    <FoldRow
      approval={approval}
      mark={<Icon icon={lockIcon} />}
      title={`${askedText(approval, trans)} ${gist(approval)}`}
      second={
        server
          ? trans.__(
              '%1, can be answered only on the server %2',
              approval.runtime_title,
              visible(server)
            )
          : isYours(approval, connection)
            ? trans.__('%1, you do not have permission to answer', approval.runtime_title)
            : trans.__('%1, only %2 can answer', approval.runtime_title, ownerOf(approval))
      }
      time={askedAgo(approval, now, trans)}
      at={approval.asked_at}
      note={expiryText(approval, now, trans)}
    />
  );
}

export function ClosedRow({ approval }: { approval: Approval }): React.ReactElement {
  const { connection, trans } = useApprovals();
  const at = approval.closed_at ?? approval.asked_at;
  const you = connection.username;
  return (
    <FoldRow
      approval={approval}
      mark={<StateMark icon={outcomeIcon(approval)} />}
      title={trans.__('%1: %2', approval.runtime_title, gist(approval))}
      second={outcomeText(approval, you, trans)}
      time={when(at, new Date(), trans)}
      at={at}
    />
  );
}

function FoldRow(props: {
  approval: Approval;
  mark: React.ReactNode;
  title: string;
  second: string;
  time: string;
  at: string;
  note?: string;
}): React.ReactElement {
  const { approval } = props;
  const { trans } = useApprovals();
  const [open, setOpen] = React.useState(false);
  const risk = riskText(approval, trans);
  return (
    <div className="jp-Cabinet-fold-row">
      <button
        type="button"
        className="jp-Cabinet-row-button jp-Cabinet-row"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {props.mark}
        <span className="jp-Cabinet-row-main">
          <Untrusted className="jp-Cabinet-row-title" text={props.title} />
          <Untrusted className="jp-Cabinet-row-second" text={props.second} />
        </span>
        <time className="jp-Cabinet-row-time" dateTime={props.at} title={fullTime(props.at)}>
          {props.time}
        </time>
      </button>
      {open && (
        <div className="jp-Cabinet-fold-row-body">
          <Asked approval={approval} />
          {[risk, props.note].map(
            (text, index) =>
              text && (
                <p key={index} className="jp-Cabinet-quiet">
                  {text}
                </p>
              )
          )}
          <div className="jp-Cabinet-answers-links">
            <Places approval={approval} />
          </div>
        </div>
      )}
    </div>
  );
}
