/**
 * Several questions that are answered together: what the agent suggests for each, and a field for other words.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { AnswerOption } from '../../api/types';
import { isAnswered, noteOf, type Said } from '../stores/questionAnswers';
import { visible } from '../../shared/untrusted';
import { Untrusted } from '../../shared/views/Untrusted';
import { useApprovals } from './services';

/** In characters; the server takes no longer note. */
export const LONGEST_NOTE = 4000;

/** What the form is given, and how it answers. */
export interface IQuestionFormProps {
  option: AnswerOption;
  onSend: (note: string) => void;
  onClose: () => void;
  /** What was written before it was closed. */
  draft: readonly Said[] | undefined;
  onDraft: (draft: readonly Said[]) => void;
  off: boolean;
}

type Question = AnswerOption['questions'][number];

export function QuestionForm(props: IQuestionFormProps): React.ReactElement {
  const { trans } = useApprovals();
  const { questions } = props.option;
  const [said, setSaid] = React.useState<readonly Said[]>(
    () => props.draft ?? questions.map(() => ({ chosen: [], words: '' }))
  );
  const change = (place: number, changed: Said) => {
    const next = said.map((each, at) => (at === place ? changed : each));
    setSaid(next);
    props.onDraft(next);
  };
  const form = React.useRef<HTMLFormElement>(null);
  React.useEffect(() => form.current!.querySelector('input')!.focus(), []);
  const note = noteOf(said);
  const isTooLong = note.length > LONGEST_NOTE;
  const complete = said.every(isAnswered) && !isTooLong;
  return (
    <form
      ref={form}
      className="jp-Cabinet-together"
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          props.onClose();
        }
      }}
      onSubmit={event => {
        event.preventDefault();
        if (complete && !props.off) {
          props.onSend(note);
        }
      }}
    >
      {questions.map((question, place) => (
        <OneQuestion
          key={place}
          question={question}
          said={said[place]}
          onChange={changed => change(place, changed)}
        />
      ))}
      <p role="status" className="jp-Cabinet-quiet" hidden={!isTooLong}>
        {isTooLong && trans.__('Too long to send: %1 of %2 characters.', note.length, LONGEST_NOTE)}
      </p>
      <button
        type="submit"
        className="jp-Cabinet-button jp-mod-plain"
        disabled={!complete || props.off}
      >
        {trans.__('Send')}
      </button>
    </form>
  );
}

function placeholder({ choices, several }: Question, trans: TranslationBundle): string {
  if (!choices.length) {
    return trans.__('Your answer');
  }
  return several ? trans.__('Add your own answer') : trans.__('Or write your own answer');
}

function OneQuestion(props: {
  question: Question;
  said: Said;
  onChange: (said: Said) => void;
}): React.ReactElement {
  const { trans } = useApprovals();
  const { question, said } = props;
  const name = React.useId();
  const choose = (choice: string, on: boolean) => {
    const others = question.several ? said.chosen.filter(each => each !== choice) : [];
    props.onChange({
      chosen: on ? [...others, choice] : others,
      words: question.several ? said.words : ''
    });
  };
  return (
    <fieldset className="jp-Cabinet-together-question">
      <legend>
        <Untrusted text={question.question} />
      </legend>
      {question.choices.map((choice, place) => (
        <label key={place} className="jp-Cabinet-together-choice">
          <input
            type={question.several ? 'checkbox' : 'radio'}
            name={name}
            checked={said.chosen.includes(choice)}
            onChange={event => choose(choice, event.target.checked)}
          />
          <span>{visible(choice)}</span>
        </label>
      ))}
      <input
        className="jp-Cabinet-why-field"
        type="text"
        aria-label={trans.__('Your answer')}
        placeholder={placeholder(question, trans)}
        value={said.words}
        onChange={event =>
          props.onChange({
            chosen: question.several || !event.target.value ? said.chosen : [],
            words: event.target.value
          })
        }
      />
    </fieldset>
  );
}
