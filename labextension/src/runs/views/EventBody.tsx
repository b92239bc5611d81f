/**
 * What one event of a run says: a text, a folded tool call, a question with its answer. In the list of events, and
 * in a cell of a notebook.
 */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { caretDownEmptyThinIcon, caretRightIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Run } from '../../api/types';
import { answeredText, askedText, denialText, gist } from '../../approvals';
import { useApprovals } from '../../approvals/views';
import { Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import type { Row } from '../stores/output';
import { cutText, type ToolRow } from '../stores/sections';

/** A row of a run's events, below an `ApprovalContext`. */
export interface IEventProps {
  row: Row;
  run: Run;
  /** Draws Markdown, where it is there. */
  rendermime: IRenderMimeRegistry | null;
}

/** What a row says, without its time and its icon. */
export function EventBody({ row, run, rendermime }: IEventProps): React.ReactElement {
  const { trans } = useApprovals();
  switch (row.kind) {
    case 'started':
      return (
        <Untrusted
          text={trans.__('Session started with %1 %2', run.runtime_title, row.version ?? '').trim()}
        />
      );
    case 'text':
      return <Untrusted block text={row.text} markdown={row.open ? null : rendermime} />;
    case 'thinking':
      return <Fold head={<em>{trans.__('Thinking')}</em>} body={row.text} note="" />;
    case 'tool':
      return <ToolFold row={row} run={run} />;
    case 'question':
      return <QuestionRow row={row} run={run} />;
    case 'prompt':
      return <Untrusted block text={row.text} />;
    case 'retry':
      return <RetryRow row={row} />;
    case 'warning':
      return <Untrusted block text={row.message} />;
  }
}

/** What was asked, and who answered what; only the question where nobody could answer it from here. */
function QuestionRow(props: { row: Row & { kind: 'question' }; run: Run }): React.ReactElement {
  const { row, run } = props;
  const { connection, store, trans } = useApprovals();
  useChanges(store.changed);
  React.useEffect(() => void store.loadRun(run.id), [store, run.id]);
  const approval = store.ofQuestion(run.id, row.questionId);
  if (!approval) {
    return (
      <>
        <strong>
          {row.answered
            ? trans.__('It asked a question and received an answer.')
            : trans.__('It asks a question.')}
        </strong>{' '}
        <Untrusted text={row.question} />
      </>
    );
  }
  const you = connection.username;
  return (
    <>
      <strong>{askedText(approval, trans)}</strong> {answeredText(approval, you, trans)}
      <div>
        <Untrusted className="jp-Cabinet-code" text={gist(approval)} />
      </div>
    </>
  );
}

function RetryRow({ row }: { row: Row & { kind: 'retry' } }): React.ReactElement {
  const { trans } = useApprovals();
  const attempt = row.of
    ? trans.__('attempt %1 of %2', row.attempt, row.of)
    : trans.__('attempt %1', row.attempt);
  return (
    <>
      {row.inSeconds === null
        ? trans.__('The model is busy. Trying again, %1.', attempt)
        : trans.__(
            'The model is busy. Trying again in %1 s, %2.',
            Math.ceil(row.inSeconds),
            attempt
          )}
      {row.reason && <Untrusted className="jp-Cabinet-quiet" block text={row.reason} />}
    </>
  );
}

/** One call; unfolded, what it was given and what came of it. */
export function ToolFold(props: { row: ToolRow; run: Run }): React.ReactElement {
  const { row, run } = props;
  const { store, trans } = useApprovals();
  useChanges(store.changed);
  const asked = row.questionId === null ? null : store.ofQuestion(run.id, row.questionId);
  const { result } = row;
  const lines = result ? result.text.split('\n').filter(line => line).length : 0;
  const note = !result
    ? trans.__('running')
    : result.isError
      ? ((asked && denialText(asked, trans)) ?? trans.__('failed'))
      : trans._n('%1 line', '%1 lines', lines);
  const input = Object.keys(row.input).length ? JSON.stringify(row.input, null, 2) : '';
  return (
    <Fold
      head={
        <>
          <strong>
            <Untrusted text={row.tool} />
          </strong>{' '}
          <Untrusted className="jp-Cabinet-code" text={row.summary} />
        </>
      }
      note={note}
      body={[input, result?.text ?? ''].filter(part => part).join('\n\n')}
    />
  );
}

/** A line that unfolds. A text is shown as what it is: foreign; the end of a very long one is left out. */
export function Fold(props: {
  head: React.ReactNode;
  note: string;
  body: string | (() => React.ReactNode);
}): React.ReactElement {
  const [open, setOpen] = React.useState(false);
  const { body } = props;
  return (
    <div className="jp-Cabinet-fold">
      <button
        type="button"
        className="jp-Cabinet-fold-head"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon icon={open ? caretDownEmptyThinIcon : caretRightIcon} />
        <span className="jp-Cabinet-fold-title">{props.head}</span>
        <span className="jp-Cabinet-quiet">{props.note}</span>
      </button>
      {open && (typeof body === 'string' ? <CutText text={body} /> : body())}
    </div>
  );
}

function CutText({ text }: { text: string }): React.ReactElement {
  const { trans } = useApprovals();
  const cut = cutText(text);
  return (
    <>
      <Untrusted block className="jp-Cabinet-fold-body" text={cut.text} />
      {cut.isCut && (
        <p className="jp-Cabinet-fold-cut">{trans.__('The rest is not shown here.')}</p>
      )}
    </>
  );
}
