/**
 * The plays that this agent carries out: what starts them, when next, what came of them, and a start by hand.
 */
import { runIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PlayDetail, PlayLine, PlayRow } from '../../../api/types';
import { duration, fullTime, when } from '../../../shared/time';
import { visible } from '../../../shared/untrusted';
import { StateMark } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Untrusted } from '../../../shared/views/Untrusted';
import { triggerWords } from '../../stores/page/words';
import { MayButton, Nothing, Refused, Section } from '../parts';
import { useAsking, useReading } from '../hooks';
import { usePage, useWhyNot } from './services';

export function Plays({ onRun }: { onRun: (id: string) => void }): React.ReactElement {
  const { page, trans } = usePage();
  const { plays } = page;
  useChanges(plays.changed);
  const [chosen, choose] = React.useState<string | null>(null);
  const items = plays.value ?? [];
  const current = items.find(({ slug }) => slug === chosen) ?? items[0];
  return (
    <div className="jp-Cabinet-page-split">
      <div className="jp-Cabinet-page-list">
        <Refused text={plays.problem} />
        {plays.value !== null && items.length === 0 && (
          <Nothing>
            {trans.__('No play. One that names this agent, or that it lists, stands here.')}
          </Nothing>
        )}
        <ul className="jp-Cabinet-page-rows" aria-label={trans.__('Plays')}>
          {items.map(play => (
            <PlayLineRow
              key={play.slug}
              play={play}
              isCurrent={play === current}
              onChoose={choose}
            />
          ))}
        </ul>
      </div>
      <div className="jp-Cabinet-page-beside">
        {current && <Play key={current.slug} slug={current.slug} onRun={onRun} />}
      </div>
    </div>
  );
}

function useTriggers(play: PlayRow): string {
  const { trans } = usePage();
  const words = play.triggers.map(each => triggerWords(each, play.schedule, trans));
  return visible([...new Set(words)].join(', ') || trans.__('By hand'));
}

function PlayLineRow(props: {
  play: PlayRow;
  isCurrent: boolean;
  onChoose: (slug: string) => void;
}): React.ReactElement {
  const { play } = props;
  const { trans } = usePage();
  return (
    <li>
      <button
        type="button"
        className="jp-Cabinet-page-row jp-mod-two"
        aria-current={props.isCurrent || undefined}
        onClick={() => props.onChoose(play.slug)}
      >
        <span className="jp-Cabinet-page-row-title">
          {visible(play.title || play.name)}
          <span className="jp-Cabinet-page-row-second">{useTriggers(play)}</span>
        </span>
        {play.run_id !== null && <StateMark icon="ring" />}
        {play.reason && (
          <span className="jp-Cabinet-quiet">
            {play.confirmed ? trans.__('Out of service') : trans.__('Not confirmed')}
          </span>
        )}
      </button>
    </li>
  );
}

function Play(props: { slug: string; onRun: (id: string) => void }): React.ReactElement {
  const { page } = usePage();
  const reading = useReading(() => page.play(props.slug), props.slug);
  if (!reading.value) {
    return <Refused text={reading.problem} />;
  }
  return <Known {...reading.value} onRun={props.onRun} />;
}

function Known(props: {
  play: PlayDetail;
  history: PlayLine[];
  onRun: (id: string) => void;
}): React.ReactElement {
  const { history, play } = props;
  const { trans } = usePage();
  return (
    <article aria-label={visible(play.title || play.name)}>
      <Section title={visible(play.title || play.name)} note={useTriggers(play)}>
        {play.reason && (
          <p className="jp-Cabinet-page-text">
            <Untrusted text={play.reason} />
          </p>
        )}
        <Start play={play} onRun={props.onRun} />
      </Section>
      {play.upcoming.length > 0 && (
        <Section title={trans.__('Next five runs')}>
          <ol className="jp-Cabinet-page-ticks">
            {play.upcoming.map(time => (
              <li key={time}>{fullTime(time)}</li>
            ))}
          </ol>
        </Section>
      )}
      <Section title={trans.__('History')}>
        {history.length === 0 && <Nothing>{trans.__('It has not run yet.')}</Nothing>}
        <ul className="jp-Cabinet-page-rows" aria-label={trans.__('Runs of this play')}>
          {history.map((line, index) => (
            <HistoryLine key={line.runId || index} line={line} onRun={props.onRun} />
          ))}
        </ul>
      </Section>
    </article>
  );
}

function HistoryLine(props: { line: PlayLine; onRun: (id: string) => void }): React.ReactElement {
  const { line } = props;
  const { trans } = usePage();
  return (
    <li>
      <button
        type="button"
        className="jp-Cabinet-page-row"
        disabled={!line.runId}
        onClick={() => props.onRun(line.runId)}
      >
        <StateMark icon={line.status === 'completed' ? 'success' : 'error'} />
        <span className="jp-Cabinet-page-row-title">
          {visible(line.summary.slice(0, 200).replace(/\s+/g, ' '))}
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
function Start(props: { play: PlayDetail; onRun: (id: string) => void }): React.ReactElement {
  const { play } = props;
  const { page, trans } = usePage();
  const why = useWhyNot();
  const { ask, isBusy, refusal } = useAsking();
  const [inputs, setInputs] = React.useState<Record<string, string>>({});
  const whyNot =
    why ??
    (play.reason || null) ??
    (play.run_id !== null ? trans.__('It works or waits in the queue.') : null);
  return (
    <form className="jp-Cabinet-page-fields" onSubmit={event => event.preventDefault()}>
      {play.inputs.map(name => (
        <label key={name} className="jp-Cabinet-page-label">
          <span>{visible(name)}</span>
          <input
            className="jp-Cabinet-page-field"
            value={inputs[name] ?? ''}
            onChange={event => setInputs({ ...inputs, [name]: event.target.value })}
          />
        </label>
      ))}
      <Refused text={refusal} />
      <div className="jp-Cabinet-page-bar">
        <MayButton
          icon={runIcon}
          label={trans.__('Run now')}
          whyNot={whyNot}
          busy={isBusy}
          onClick={() =>
            void ask(async () => props.onRun((await page.runPlay(play.slug, inputs)).id))
          }
        />
      </div>
    </form>
  );
}
