/**
 * One question with all that is needed to decide on it: whole, nothing shortened, nothing behind a link.
 * Compact beside a terminal; there what is too long to be seen whole can only be denied.
 */
import * as React from 'react';

import type { Approval } from '../../api/types';
import { Commands } from '../../shared/commands';
import { errorDiscIcon, warningIcon } from '../../shared/icons';
import {
  askedAgo,
  expiryText,
  fitsBeside,
  isYours,
  riskText,
  sandboxText,
  shortExpiry,
  titleText
} from '../stores/labels';
import { lineDiff, patchLines } from '../../shared/lineDiff';
import { fullTime } from '../../shared/time';
import { Button, Icon, StateMark, Strip } from '../../shared/views/components';
import { useChanges, useNow } from '../../shared/views/hooks';
import { DiffLines } from '../../shared/views/DiffLines';
import { Untrusted } from '../../shared/views/Untrusted';
import { Answers } from './Answers';
import { ownerOf, useApprovals, useShown } from './services';

export function ApprovalCard({ approval }: { approval: Approval }): React.ReactElement {
  const { trans } = useApprovals();
  const now = useNow(true);
  const title = React.useId();
  return (
    <article className="jp-Cabinet-approval" aria-labelledby={title} data-id={approval.id}>
      <header className="jp-Cabinet-approval-head">
        <StateMark icon="question" />
        <h3 id={title} className="jp-Cabinet-approval-title">
          {titleText(approval, trans)}
        </h3>
        <time
          className="jp-Cabinet-row-time"
          dateTime={approval.asked_at}
          title={fullTime(approval.asked_at)}
        >
          {askedAgo(approval, now, trans)}
        </time>
      </header>
      <div className="jp-Cabinet-approval-who">
        <Untrusted text={origin(approval)} />
      </div>
      <Asked approval={approval} />
      <Facts approval={approval} now={now} />
      <Refusal id={approval.id} />
      <Answers approval={approval} links={<Places approval={approval} />} />
    </article>
  );
}

/** The document and the instruction of its run. */
function origin({ instruction, path }: Approval): string {
  const [first] = instruction.trim().split('\n');
  return [path, first && `“${first}”`].filter(part => part).join(', ');
}

/** Every part, whole. */
export function Asked({ approval }: { approval: Approval }): React.ReactElement {
  const { edits, kind, parts, question, runs } = approval;
  return (
    <>
      {(kind === 'question' || kind === 'tool' || !parts.length) && question && (
        <Untrusted block className="jp-Cabinet-approval-question" text={question} />
      )}
      {parts.map((part, index) =>
        part.changes && edits.length ? null : (
          <div key={index} className="jp-Cabinet-approval-part">
            {(parts.length > 1 || kind !== 'command') && (
              <Untrusted block className="jp-Cabinet-approval-label" text={part.label} />
            )}
            {part.label === 'Change' && part.changes ? (
              <DiffLines whole lines={patchLines(part.text)} label={part.label} />
            ) : (
              <Untrusted block className="jp-Cabinet-approval-text" text={part.text} />
            )}
          </div>
        )
      )}
      {runs.length > 0 && <Runs runs={runs} />}
      {edits.map((edit, index) => (
        <ProposedEdit key={index} edit={edit} />
      ))}
    </>
  );
}

/** The commands of a line for a shell, one by one. */
function Runs({ runs }: { runs: Approval['runs'] }): React.ReactElement {
  const { trans } = useApprovals();
  const how = {
    '': '',
    pipe: trans.__('receives the output of the previous command'),
    substitution: trans.__('its output becomes part of another command')
  };
  return (
    <div className="jp-Cabinet-approval-part">
      <div className="jp-Cabinet-approval-label">{trans.__('Runs')}</div>
      <ol className="jp-Cabinet-approval-runs">
        {runs.map((each, index) => (
          <li key={index}>
            <Untrusted className="jp-Cabinet-approval-run" text={each.text} />
            {each.how && <span className="jp-Cabinet-quiet">{how[each.how]}</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Every line of it: what is allowed must have been seen. */
function ProposedEdit({ edit }: { edit: Approval['edits'][number] }): React.ReactElement {
  const { trans } = useApprovals();
  const lines = React.useMemo(() => lineDiff(edit.old, edit.new), [edit]);
  return (
    <div className="jp-Cabinet-approval-part">
      <DiffLines whole lines={lines} label={trans.__('Change')} />
    </div>
  );
}

function Facts({ approval, now }: { approval: Approval; now: Date }): React.ReactElement {
  const { connection, trans } = useApprovals();
  const risk = riskText(approval, trans);
  const acts = approval.kind !== 'question';
  return (
    <dl className="jp-Cabinet-facts">
      {acts && <Fact label={trans.__('Folder')}>{<Untrusted text={approval.folder} />}</Fact>}
      {acts && <Fact label={trans.__('Isolated')}>{sandboxText(approval, trans)}</Fact>}
      {risk && (
        <Fact label={trans.__('Risk')}>
          <Icon icon={warningIcon} /> {risk}
        </Fact>
      )}
      {approval.because && (
        <Fact label={trans.__('Reason for asking')}>
          <Untrusted text={approval.because} />
        </Fact>
      )}
      {approval.why && (
        <Fact label={trans.__('Reason given')}>
          <Untrusted text={`“${approval.why}”`} />
        </Fact>
      )}
      <Fact label={trans.__('Can answer')}>
        {isYours(approval, connection) ? trans.__('You') : trans.__('You, %1', ownerOf(approval))}
      </Fact>
      <Fact label={trans.__('Expires')}>
        <span title={fullTime(approval.expires_at)}>{expiryText(approval, now, trans)}</span>
      </Fact>
    </dl>
  );
}

function Fact(props: { label: string; children: React.ReactNode }): React.ReactElement {
  return (
    <>
      <dt>{props.label}</dt>
      <dd>{props.children}</dd>
    </>
  );
}

/** Why the answer was not taken. */
export function Refusal({ id }: { id: string }): React.ReactElement | null {
  const { store, trans } = useApprovals();
  useChanges(store.changed);
  const message = store.refusals.get(id);
  const words = React.useRef<HTMLSpanElement>(null);
  // Below it a long form may stand, from which it was sent.
  React.useEffect(() => void words.current?.scrollIntoView({ block: 'nearest' }), [message]);
  return message ? (
    <Strip
      tone="warning"
      icon={<Icon icon={errorDiscIcon} />}
      actions={<Button label={trans.__('Dismiss')} onClick={() => store.dismiss(id)} />}
    >
      <span ref={words} role="status">
        <Untrusted text={message} />
      </span>
    </Strip>
  ) : null;
}

/** Where it happens. */
export function Places({ approval }: { approval: Approval }): React.ReactElement {
  const { run, showOutput, trans } = useApprovals();
  const { path, run_id, session_id, terminal_id } = approval;
  return (
    <>
      {terminal_id && (
        <Button
          link
          label={trans.__('Open terminal')}
          onClick={() => run(Commands.openTerminal, { id: terminal_id })}
        />
      )}
      {path !== null ? (
        <Button
          link
          label={trans.__('Open run')}
          onClick={() => run(Commands.showRun, { session: session_id, path })}
        />
      ) : (
        !terminal_id && (
          <Button link label={trans.__('Output')} onClick={() => void showOutput(run_id)} />
        )
      )}
    </>
  );
}

/** Beside a terminal. */
export function CompactCard({ approval }: { approval: Approval }): React.ReactElement {
  const { shown, run, trans } = useApprovals();
  const now = useNow(true);
  const card = React.useRef<HTMLElement>(null);
  const title = React.useId();
  useShown(card, approval.id, shown);
  const isWhole = fitsBeside(approval);
  const risk = riskText(approval, trans);
  return (
    <article
      ref={card}
      className="jp-Cabinet-approval jp-mod-compact"
      aria-labelledby={title}
      data-id={approval.id}
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
        <span id={title}>{titleText(approval, trans)}</span>
      </Strip>
      <div className="jp-Cabinet-approval-body">
        {isWhole ? (
          <Asked approval={approval} />
        ) : (
          <p>{trans.__('It is too long to show here. Open Details to read it.')}</p>
        )}
        <p className="jp-Cabinet-quiet">
          <Untrusted text={inText(approval, trans)} />
        </p>
        {risk && (
          <p className="jp-Cabinet-risk">
            <Icon icon={warningIcon} /> {risk}
          </p>
        )}
        <Refusal id={approval.id} />
        <Answers
          approval={approval}
          refusalsOnly={!isWhole}
          links={
            <Button link label={trans.__('Details')} onClick={() => run(Commands.approvals)} />
          }
        />
      </div>
    </article>
  );
}

/** "In ~/churn, no sandbox. “Needed for the seasonal test.”" */
function inText(approval: Approval, trans: ReturnType<typeof useApprovals>['trans']): string {
  const why = approval.why ? `“${approval.why}”` : '';
  if (approval.kind === 'question') {
    return why;
  }
  const place = approval.isolated
    ? trans.__('In %1, in a sandbox.', approval.folder)
    : trans.__('In %1, without a sandbox.', approval.folder);
  return `${place} ${why}`.trim();
}
