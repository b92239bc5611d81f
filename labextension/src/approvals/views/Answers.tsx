/**
 * The answers that a question takes: a button each, and the refusal that says why.
 * No default key, dead for a moment after they appear or move, and with a risk the first tab stop is the refusal.
 */
import * as React from 'react';

import type { AnswerOption, Approval } from '../../api/types';
import type { Said } from '../stores/questionAnswers';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { useArmed } from './useArmed';
import { useApprovals } from './services';
import { AlwaysForm } from './AlwaysForm';
import { type IQuestionFormProps, LONGEST_NOTE, QuestionForm } from './QuestionForm';

export function Answers(props: {
  approval: Approval;
  /** Shown at the end of the line of links. */
  links?: React.ReactNode;
  /** Only a refusal: what is asked for is not shown whole here. */
  refusalsOnly?: boolean;
}): React.ReactElement {
  const { approval } = props;
  const { connection, store, trans } = useApprovals();
  useChanges(connection.changed, store.changed);
  const row = React.useRef<HTMLDivElement>(null);
  const { armed, check } = useArmed(row);
  const [worded, setWorded] = React.useState<AnswerOption | null>(null);
  const link = React.useRef<HTMLSpanElement>(null);
  const opener = React.useRef<HTMLElement | null>(null);
  const drafts = React.useRef<Record<string, readonly Said[]>>({});
  React.useLayoutEffect(() => {
    const here = row.current;
    return () => leave(here); // answered elsewhere, expired, or no longer for this person
  }, []);
  const deny = approval.options.find(option => option.kind === 'deny' && option.takes_note);
  const isOff = !connection.online || store.isAnswering(approval.id);
  const [always, setAlways] = React.useState(false);
  const once = approval.options.find(option => option.kind === 'allow_once');
  const answer = (option: AnswerOption, note = '', days: number | null = null) => {
    if (!isOff) {
      leave(row.current);
      void store.answer(approval.id, option.id, note, days);
    }
  };
  const close = () => {
    const from = worded === deny ? link.current?.querySelector('button') : opener.current;
    setWorded(null);
    from?.focus();
  };
  const open = (option: AnswerOption, button: HTMLElement) => {
    opener.current = button;
    setWorded(option);
  };
  return (
    <div className="jp-Cabinet-answers">
      <div
        ref={row}
        className="jp-Cabinet-answers-row"
        role="group"
        aria-label={trans.__('Answers')}
      >
        {inOrder(approval)
          .filter(option => !props.refusalsOnly || option.kind === 'deny')
          .map(option => (
            <AnswerButton
              key={option.id}
              option={option}
              filled={option.kind === 'allow_once' && approval.risks.length === 0}
              off={isOff || !armed}
              onClick={button =>
                check() && (needsText(option) ? open(option, button) : answer(option))
              }
            />
          ))}
      </div>
      <div className="jp-Cabinet-answers-links">
        {deny && !props.refusalsOnly && (
          <span ref={link}>
            <Button
              link
              label={trans.__('Deny with a reason')}
              disabled={isOff}
              expanded={worded === deny}
              onClick={() => setWorded(worded === deny ? null : deny)}
            />
          </span>
        )}
        {approval.always.length > 0 && once && !props.refusalsOnly && (
          <Button
            link
            label={trans.__('Allow from now on')}
            disabled={isOff}
            expanded={always}
            onClick={() => setAlways(!always)}
          />
        )}
        <span className="jp-Cabinet-spring" />
        {props.links}
      </div>
      {always && once && (
        <AlwaysForm
          rules={approval.always}
          off={isOff}
          onSend={days => answer(once, '', days)}
          onClose={() => setAlways(false)}
        />
      )}
      {worded &&
        React.createElement(worded.questions.length ? QuestionForm : InWords, {
          key: worded.id,
          option: worded,
          onSend: note => answer(worded, note),
          onClose: close,
          draft: drafts.current[worded.id],
          onDraft: draft => (drafts.current[worded.id] = draft),
          off: isOff
        })}
    </div>
  );
}

/** With a risk the refusal comes first, on the screen as by key. */
function inOrder({ options, risks }: Approval): AnswerOption[] {
  const isNo = ({ kind }: AnswerOption) => kind === 'deny';
  return risks.length
    ? [...options.filter(isNo), ...options.filter(option => !isNo(option))]
    : options;
}

/** A choice that is nothing without the words that go with it. */
function needsText({ kind, takes_note }: AnswerOption): boolean {
  return kind === 'choice' && takes_note;
}

function AnswerButton(props: {
  option: AnswerOption;
  filled: boolean;
  off: boolean;
  onClick: (button: HTMLElement) => void;
}): React.ReactElement {
  const { option } = props;
  const id = React.useId();
  const grants = visible(option.grants);
  return (
    <>
      <button
        type="button"
        className={`jp-Cabinet-button jp-mod-${props.filled ? 'filled' : 'plain'}`}
        // Not `disabled`: who has the focus here keeps it.
        aria-disabled={props.off}
        aria-describedby={grants ? id : undefined}
        title={grants || undefined}
        onClick={event => props.off || props.onClick(event.currentTarget)}
      >
        <span className="jp-Cabinet-button-label">{visible(option.label)}</span>
      </button>
      {grants && (
        <span id={id} className="jp-Cabinet-spoken">
          {grants}
        </span>
      )}
    </>
  );
}

function InWords(props: IQuestionFormProps): React.ReactElement {
  const { trans } = useApprovals();
  const isNo = props.option.kind === 'deny';
  const [note, setNote] = React.useState(props.draft?.[0].words ?? '');
  const field = React.useRef<HTMLInputElement>(null);
  React.useEffect(() => field.current!.focus(), []);
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      props.onClose();
    }
  };
  return (
    <form
      className="jp-Cabinet-why"
      onKeyDown={onKeyDown}
      onSubmit={event => {
        event.preventDefault();
        if (note.trim() && !props.off) {
          props.onSend(note.trim());
        }
      }}
    >
      <input
        ref={field}
        className="jp-Cabinet-why-field"
        type="text"
        maxLength={LONGEST_NOTE}
        aria-label={isNo ? trans.__('Reason for denying the request') : trans.__('Your answer')}
        placeholder={isNo ? trans.__('What the agent should do instead') : trans.__('Your answer')}
        value={note}
        onChange={event => {
          setNote(event.target.value);
          props.onDraft([{ chosen: [], words: event.target.value }]);
        }}
      />
      <button
        type="submit"
        className="jp-Cabinet-button jp-mod-plain"
        disabled={!note.trim() || props.off}
      >
        {isNo ? trans.__('Deny') : trans.__('Send')}
      </button>
    </form>
  );
}

/** The buttons are about to go: the focus stays in their panel, and on no other question's button. */
function leave(row: HTMLElement | null): void {
  if (row?.parentElement?.contains(document.activeElement)) {
    row.closest<HTMLElement>('[data-approvals-focus]')?.focus();
  }
}
