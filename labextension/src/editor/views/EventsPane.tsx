/**
 * A run's events as a list: texts, folded tool calls, questions. Virtual, and it follows the end until
 * somebody scrolls up.
 */
import {
  caretDownEmptyThinIcon,
  caretRightIcon,
  editIcon,
  fileIcon,
  refreshIcon,
  runIcon,
  textEditorIcon,
  userIcon,
  type LabIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';

import type { Run } from '../../api/types';
import { questionIcon, warningIcon } from '../../shared/icons';
import { type Row, isWorking } from '../../runs';
import { answeredText, askedText, denialText, gist } from '../../approvals';
import { useApprovals } from '../../approvals/views';
import { Button, Icon, Ring } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { useServices } from './services';
import { Untrusted } from '../../shared/views/Untrusted';

export function EventsPane({ run }: { run: Run }): React.ReactElement {
  const { outputs, trans } = useServices();
  const output = React.useMemo(() => outputs.get(run.id), [outputs, run.id]);
  useChanges(output.changed);
  const list = React.useRef<VirtuosoHandle>(null);
  const [atEnd, setAtEnd] = React.useState(true);
  const { rows, usage } = output.folded;
  const working = isWorking(run) && run.state !== 'waiting';
  const spent =
    usage !== null && usage.input_tokens + usage.output_tokens > 0
      ? trans.__(
          '%1 tokens in, %2 out',
          usage.input_tokens.toLocaleString('en'),
          usage.output_tokens.toLocaleString('en')
        )
      : '';
  return (
    <div className="jp-Cabinet-events">
      {rows.length === 0 && !working && (
        <p className="jp-Cabinet-quiet">{trans.__('This run has told nothing.')}</p>
      )}
      <Virtuoso
        ref={list}
        className="jp-Cabinet-events-list"
        role="list"
        aria-label={trans.__('Events')}
        data={rows as Row[]}
        computeItemKey={(_, row) => row.key}
        followOutput="auto"
        initialTopMostItemIndex={Math.max(0, rows.length - 1)}
        atBottomStateChange={setAtEnd}
        itemContent={(_, row) => <EventRow row={row} run={run} />}
        components={working ? WITH_RING : WITHOUT}
      />
      {(spent !== '' || !atEnd) && (
        <div className="jp-Cabinet-events-foot">
          <span>{spent}</span>
          {!atEnd && (
            <Button
              link
              label={trans.__('Follow newest')}
              onClick={() =>
                list.current?.scrollToIndex({
                  index: rows.length - 1,
                  align: 'end'
                })
              }
            />
          )}
        </div>
      )}
    </div>
  );
}

function WorkingFoot(): React.ReactElement {
  const { trans } = useServices();
  return (
    <div className="jp-Cabinet-event">
      <span className="jp-Cabinet-event-time" />
      <Ring />
      <span className="jp-Cabinet-event-body">{trans.__('Working')}</span>
    </div>
  );
}

const WITH_RING = { Footer: WorkingFoot };
const WITHOUT = {};

function EventRow({ row, run }: { row: Row; run: Run }): React.ReactElement {
  return (
    <div className="jp-Cabinet-event" role="listitem" data-kind={row.kind}>
      <span className="jp-Cabinet-event-time">{minutes(row.at)}</span>
      <Icon icon={iconOf(row)} />
      <div className="jp-Cabinet-event-body">
        <EventBody row={row} run={run} />
      </div>
    </div>
  );
}

function EventBody({ row, run }: { row: Row; run: Run }): React.ReactElement {
  const { trans, rendermime } = useServices();
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
      return <ToolRow row={row} run={run} />;
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
          {row.answered ? trans.__('Asked, and was answered.') : trans.__('Asks a question.')}
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
  const { trans } = useServices();
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

function ToolRow(props: { row: Row & { kind: 'tool' }; run: Run }): React.ReactElement {
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

function Fold(props: { head: React.ReactNode; note: string; body: string }): React.ReactElement {
  const [open, setOpen] = React.useState(false);
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
      {open && <Untrusted block className="jp-Cabinet-fold-body" text={props.body} />}
    </div>
  );
}

function iconOf(row: Row): LabIcon {
  switch (row.kind) {
    case 'started':
      return runIcon;
    case 'tool':
      return /edit|write|patch/i.test(row.tool) ? editIcon : fileIcon;
    case 'question':
      return questionIcon;
    case 'prompt':
      return userIcon;
    case 'retry':
      return refreshIcon;
    case 'warning':
      return warningIcon;
    default:
      return textEditorIcon;
  }
}

/** "1:12". */
function minutes(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
