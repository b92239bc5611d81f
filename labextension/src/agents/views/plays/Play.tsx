/**
 * One play: what it is, what starts it and what it starts, when next, what came of it, and a start by hand.
 */
import { editIcon, runIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PlayDetail, PlayLine } from '../../../api/types';
import { warningIcon } from '../../../shared/icons';
import { duration, fullTime, limit, when } from '../../../shared/time';
import { visible } from '../../../shared/untrusted';
import { Icon, StateMark, Strip } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Untrusted } from '../../../shared/views/Untrusted';
import { draftOf } from '../../stores/plays/draft';
import { followersOf } from '../../stores/plays/graph';
import { instructionOf } from '../../stores/plays/instruction';
import { answerWords } from '../../stores/page/words';
import { emptyInputs, endingWords, startWords } from '../../stores/plays/words';
import { useAsking, useResource } from '../hooks';
import { MayButton, Nothing, Refused, Section } from '../parts';
import { Difference } from '../Difference';
import { Upcoming } from '../Upcoming';
import { useNames, usePlays, useRights } from './services';
import { Webhook } from './Webhook';

interface IOnePlay {
  slug: string;
  onEdit: () => void;
}

/** Kept up while it is shown. */
export function Play(props: IOnePlay): React.ReactElement {
  const { playbook } = usePlays();
  const reading = useResource(() => playbook.one(props.slug), props.slug);
  React.useEffect(() => void reading.load(), [reading]);
  if (!reading.value) {
    return <Refused text={reading.problem} />;
  }
  return <Known {...reading.value} {...props} />;
}

function Known(props: { play: PlayDetail; history: PlayLine[] } & IOnePlay): React.ReactElement {
  const { history, onEdit, play } = props;
  const { trans } = usePlays();
  const rights = useRights(play);
  const name = visible(play.title || play.name);
  return (
    <article className="jp-Cabinet-play" aria-label={name}>
      <Section
        title={name}
        actions={
          <MayButton
            icon={editIcon}
            label={trans.__('Edit')}
            whyNot={rights.change}
            onClick={onEdit}
          />
        }
      >
        <Obstacle play={play} whyNot={rights.change} />
        <Facts play={play} />
        <Start play={play} whyNot={rights.start} />
      </Section>
      {play.triggers.some(({ type }) => type === 'webhook') && (
        <Webhook play={play} whyNot={rights.change} />
      )}
      {play.upcoming.length > 0 && (
        <Section title={trans.__('Next five runs')}>
          <Upcoming times={play.upcoming} trans={trans} />
        </Section>
      )}
      <Instruction play={play} />
      <Section title={trans.__('History')}>
        {history.length === 0 && <Nothing>{trans.__('It has not run yet.')}</Nothing>}
        <ul className="jp-Cabinet-plain-list" aria-label={trans.__('Runs of this play')}>
          {history.map((line, index) => (
            <HistoryLine key={line.runId || index} line={line} />
          ))}
        </ul>
      </Section>
    </article>
  );
}

/** Why it may not act, and what a person can do; or why it was not started when it should have been. */
function Obstacle(props: { play: PlayDetail; whyNot: string | null }): React.ReactElement | null {
  const { play, whyNot } = props;
  const { confirmPlay, plays, trans } = usePlays();
  const notStarted = plays?.notStarted(play.slug) ?? null;
  const mark = <Icon icon={warningIcon} />;
  if (play.errors.length > 0) {
    return (
      <>
        {play.errors.map(({ message }) => (
          <Refused key={message} text={message} />
        ))}
      </>
    );
  }
  if (!play.confirmed && !play.agent_gone) {
    const confirm = () => void confirmPlay(play.slug);
    return (
      <>
        <Strip
          tone="warning"
          icon={mark}
          actions={<MayButton label={trans.__('Confirm…')} whyNot={whyNot} onClick={confirm} />}
        >
          {trans.__('It needs confirmation and does not run until then.')}
        </Strip>
        <Difference rows={play.difference} trans={trans} />
      </>
    );
  }
  const text = play.reason || notStarted?.reason;
  return text ? (
    <Strip tone="warning" icon={mark}>
      {!play.reason && trans.__('Not started:')} <Untrusted text={text} />
    </Strip>
  ) : null;
}

function Facts({ play }: { play: PlayDetail }): React.ReactElement {
  const { plays, trans } = usePlays();
  const followers = followersOf(play.slug, plays?.plays ?? []);
  const names = useNames();
  const { postTo } = draftOf(play);
  const nobody = trans.__('No agent');
  const facts: [string, React.ReactNode][] = [
    [trans.__('Agent'), play.agent === null ? nobody : visible(names.agent(play.agent))],
    [trans.__('Starts'), visible(startWords(play, names, trans))],
    ...followers.map(({ ending, play: next }): [string, string] => [
      trans.__('Then starts'),
      trans.__('%1, %2', visible(next.title || next.slug), endingWords(ending, trans))
    ]),
    ...(postTo ? [[trans.__('Posts to'), visible(postTo)] as [string, string]] : []),
    ...(play.timeout_seconds > 0
      ? [[trans.__('Time limit'), limit(play.timeout_seconds, trans)] as [string, string]]
      : []),
    ...(play.tools
      ? [
          [trans.__('Tools'), visible(play.tools.join(', ')) || trans.__('None')] as [
            string,
            string
          ]
        ]
      : [])
  ];
  return (
    <>
      <dl className="jp-Cabinet-play-facts">
        {facts.map(([term, text], index) => (
          <React.Fragment key={index}>
            <dt>{term}</dt>
            <dd>{text}</dd>
          </React.Fragment>
        ))}
      </dl>
      {play.notes.map(note => (
        <p key={note} className="jp-Cabinet-page-text jp-Cabinet-quiet">
          <Untrusted text={note} />
        </p>
      ))}
    </>
  );
}

/** What the agent is asked, as it is in the file. A long one scrolls. */
function Instruction({ play }: { play: PlayDetail }): React.ReactElement | null {
  const { trans } = usePlays();
  const text = instructionOf(play.text).trim();
  return text ? (
    <Section title={trans.__('Instruction')}>
      <div
        className="jp-Cabinet-page-text jp-Cabinet-play-instruction"
        role="region"
        tabIndex={0}
        aria-label={trans.__('Instruction')}
      >
        <Untrusted block text={text} />
      </div>
    </Section>
  ) : null;
}

function HistoryLine({ line }: { line: PlayLine }): React.ReactElement {
  const { showRun, trans } = usePlays();
  const isDone = line.status === 'completed';
  return (
    <li>
      <button
        type="button"
        className="jp-Cabinet-page-row"
        disabled={!line.runId}
        onClick={() => showRun(line.runId)}
      >
        <StateMark icon={isDone ? 'success' : 'error'} />
        <span>{isDone ? trans.__('Succeeded') : trans.__('Failed')}</span>
        <span className="jp-Cabinet-page-row-title jp-Cabinet-quiet">
          {visible(answerWords(line.summary, trans).slice(0, 200).replace(/\s+/g, ' '))}
        </span>
        <span className="jp-Cabinet-page-figure" title={fullTime(line.timestamp)}>
          {when(line.timestamp, new Date(), trans)}
        </span>
        <span className="jp-Cabinet-page-figure">{duration(line.duration, trans)}</span>
      </button>
    </li>
  );
}

/** A start by hand, with what it asks for. */
function Start(props: { play: PlayDetail; whyNot: string | null }): React.ReactElement {
  const { play } = props;
  const { playbook, plays, showRun, trans } = usePlays();
  const { ask, isBusy, refusal } = useAsking();
  const [inputs, setInputs] = React.useState<Record<string, string>>({});
  const [isAsked, setAsked] = React.useState(false);
  const bar = React.useRef<HTMLDivElement>(null);
  const empty = emptyInputs(play, inputs);
  useChanges(...(plays ? [plays.changed] : []));
  const working =
    play.run_state === 'queued'
      ? trans.__('It is already queued.')
      : trans.__('It is already running.');
  const isAtWork = play.run_id === null ? null : working;
  const whyNot = props.whyNot ?? (play.reason || null) ?? isAtWork;
  const start = (isSure: boolean) => {
    setAsked(!isSure && empty.length > 0);
    if (isSure) {
      bar.current?.querySelector('button')?.focus(); // the button that was pressed goes away
    }
    if (isSure || empty.length === 0) {
      begin();
    }
  };
  const begin = () =>
    void ask(async () => {
      const run = await playbook.run(play.slug, inputs);
      if (!plays) {
        showRun(run.id);
      }
    });
  return (
    <form
      className="jp-Cabinet-page-fields"
      onSubmit={event => {
        event.preventDefault();
        if (whyNot === null && !isBusy) {
          start(false);
        }
      }}
    >
      {play.inputs.map(name => (
        <label key={name} className="jp-Cabinet-page-label">
          <span>{visible(name)}</span>
          <input
            className="jp-Cabinet-page-field"
            value={inputs[name] ?? ''}
            onChange={event => {
              setInputs({ ...inputs, [name]: event.target.value });
              setAsked(false);
            }}
          />
        </label>
      ))}
      <Refused text={refusal} />
      {isAsked && (
        <Strip
          tone="warning"
          icon={<Icon icon={warningIcon} />}
          actions={
            <MayButton label={trans.__('Run anyway')} whyNot={whyNot} onClick={() => start(true)} />
          }
        >
          <span role="alert">
            {trans._n(
              'The input %2 is empty. The agent sees “(not given)” instead.',
              'The inputs %2 are empty. The agent sees “(not given)” instead.',
              empty.length,
              visible(empty.join(', '))
            )}
          </span>
        </Strip>
      )}
      <div ref={bar} className="jp-Cabinet-page-bar">
        <MayButton
          icon={runIcon}
          label={trans.__('Run now')}
          whyNot={whyNot}
          busy={isBusy}
          onClick={() => start(false)}
        />
        {play.run_id !== null && (
          <MayButton
            label={trans.__('Open run')}
            whyNot={null}
            onClick={() => showRun(play.run_id!)}
          />
        )}
      </div>
      <input type="submit" hidden />
    </form>
  );
}
