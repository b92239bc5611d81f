/**
 * The runs of the agent, narrowed to what a person looks for, and one of them beside the list.
 */
import * as React from 'react';

import type { AgentDetail, EarlierHeartbeat, Run, RunState, Tick } from '../../../api/types';
import { cost, elapsed, runLabel, startedBy } from '../../../runs';
import { duration, fullTime, when } from '../../../shared/time';
import { visible } from '../../../shared/untrusted';
import { Button, StateMark } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Untrusted } from '../../../shared/views/Untrusted';
import { answerWords, gistOf, KINDS, kindWord } from '../../stores/page/words';
import { Choice, Nothing, Refused } from '../parts';
import { RunPane } from './RunPane';
import { usePage } from './services';

const STATES: readonly RunState[] = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'interrupted',
  'skipped'
];

export function History(props: {
  agent: AgentDetail;
  runId: string | null;
  onRun: (id: string | null) => void;
}): React.ReactElement {
  const { page, trans } = usePage();
  const { history } = page;
  useChanges(history.changed, page.runs.changed);
  const { earlier, filter, rows, skipped } = history;
  const isFiltered = Object.values(filter).some(Boolean);
  return (
    <div className="jp-Cabinet-page-split">
      <div className="jp-Cabinet-page-list">
        <Filters />
        <Refused text={history.problem} />
        {history.isRead && rows.length + skipped.length + earlier.length === 0 && (
          <Nothing>
            {isFiltered
              ? trans.__('No matching runs.')
              : trans.__('It has not run yet. “Run now” starts a heartbeat.')}
          </Nothing>
        )}
        <ul className="jp-Cabinet-plain-list" aria-label={trans.__('Runs')}>
          {rows.map(run => (
            <RunRow key={run.id} run={run} isCurrent={run.id === props.runId} onRun={props.onRun} />
          ))}
        </ul>
        {history.hasMore && (
          <Button label={trans.__('Show older')} onClick={() => void history.more()} />
        )}
        {history.isFull && (
          <p className="jp-Cabinet-quiet">
            {trans.__('These are the newest %1. Search or filter to find older ones.', rows.length)}
          </p>
        )}
        {skipped.length > 0 && <Skipped ticks={skipped} />}
        {earlier.length > 0 && <Earlier heartbeats={earlier} />}
      </div>
      <div className="jp-Cabinet-page-beside">
        {props.runId === null ? (
          <Nothing>{trans.__('Select a run to see its instruction and its result.')}</Nothing>
        ) : (
          <RunPane key={props.runId} runId={props.runId} onRun={props.onRun} />
        )}
      </div>
    </div>
  );
}

function Filters(): React.ReactElement {
  const { page, trans } = usePage();
  const { filter } = page.history;
  const [words, setWords] = React.useState(filter.words);
  const narrow = (change: Partial<typeof filter>) =>
    void page.history.narrow({ ...filter, ...change });
  return (
    <form
      className="jp-Cabinet-page-filters"
      role="search"
      onSubmit={event => {
        event.preventDefault();
        narrow({ words });
      }}
    >
      <input
        type="search"
        className="jp-Cabinet-page-field"
        aria-label={trans.__('Search runs by instruction; press Enter to search')}
        placeholder={trans.__('Search runs (press Enter)')}
        value={words}
        onChange={event => {
          setWords(event.target.value);
          if (!event.target.value) {
            narrow({ words: '' });
          }
        }}
      />
      <Choice
        label={trans.__('Kind')}
        value={filter.kind}
        options={[
          ['', trans.__('All kinds')],
          ...KINDS.map(kind => [kind as string, kindWord(kind, trans)] as const)
        ]}
        onChoose={kind => narrow({ kind })}
      />
      <Choice<RunState | ''>
        label={trans.__('State')}
        value={filter.state}
        options={[
          ['', trans.__('All states')],
          ...STATES.map(
            state => [state, runLabel({ state, failure: null } as Run, trans).label] as const
          )
        ]}
        onChoose={state => narrow({ state })}
      />
    </form>
  );
}

/** What it was for, what came of it, when, how long, for how much. */
export function RunRow(props: {
  run: Run;
  isCurrent: boolean;
  onRun: (id: string) => void;
}): React.ReactElement {
  const { run } = props;
  const { connection, trans } = usePage();
  const { icon, label } = runLabel(run, trans, connection.username);
  const by = visible(startedBy(run, connection.username, trans));
  const seconds = elapsed(run, new Date());
  const gist = visible(gistOf(run, trans));
  return (
    <li>
      <button
        type="button"
        className="jp-Cabinet-page-row jp-mod-run"
        aria-current={props.isCurrent || undefined}
        onClick={() => props.onRun(run.id)}
      >
        <StateMark icon={icon} />
        <span className="jp-Cabinet-page-row-kind">{kindWord(run.kind, trans)}</span>
        <span className="jp-Cabinet-page-row-title">
          {label}
          {gist && <span className="jp-Cabinet-page-row-gist">{gist}</span>}
        </span>
        <span className="jp-Cabinet-page-row-by" title={visible(run.trigger.source ?? '') || by}>
          {by}
        </span>
        <span className="jp-Cabinet-page-figure" title={fullTime(run.queued_at)}>
          {when(run.queued_at, new Date(), trans)}
        </span>
        <span className="jp-Cabinet-page-figure">
          {seconds === null ? '' : duration(seconds, trans)}
        </span>
        {run.cost_usd !== null && (
          <span className="jp-Cabinet-page-figure">{cost(run.cost_usd)}</span>
        )}
      </button>
    </li>
  );
}

/** From the agent's history file. There is no run to open. */
function Earlier({ heartbeats }: { heartbeats: EarlierHeartbeat[] }): React.ReactElement {
  const { trans } = usePage();
  return (
    <details className="jp-Cabinet-page-skipped" open>
      <summary>
        {trans._n(
          '%1 heartbeat of another installation',
          '%1 heartbeats of another installation',
          heartbeats.length
        )}
      </summary>
      <ul className="jp-Cabinet-plain-list">
        {heartbeats.map(({ duration_seconds: seconds, status, summary, timestamp }, index) => (
          <li key={index} className="jp-Cabinet-page-row">
            <StateMark icon={status === 'completed' ? 'success' : 'error'} />
            <span className="jp-Cabinet-page-row-title">
              {status === 'completed' ? trans.__('Succeeded') : trans.__('Failed')}
              <Untrusted
                className="jp-Cabinet-page-row-gist"
                text={answerWords(summary, trans).replace(/\s+/g, ' ')}
              />
            </span>
            <span
              className="jp-Cabinet-page-figure"
              title={isTime(timestamp) ? fullTime(timestamp) : undefined}
            >
              {isTime(timestamp) ? when(timestamp, new Date(), trans) : visible(timestamp)}
            </span>
            <span className="jp-Cabinet-page-figure">
              {seconds === null ? '' : duration(seconds, trans)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function isTime(timestamp: string): boolean {
  return !Number.isNaN(Date.parse(timestamp));
}

function Skipped({ ticks }: { ticks: Tick[] }): React.ReactElement {
  const { trans } = usePage();
  return (
    <details className="jp-Cabinet-page-skipped">
      <summary>
        {trans._n('%1 heartbeat was skipped', '%1 heartbeats were skipped', ticks.length)}
      </summary>
      <ul className="jp-Cabinet-plain-list">
        {ticks.map(tick => (
          <li key={tick.due} className="jp-Cabinet-page-row">
            <StateMark icon="skip" />
            <Untrusted className="jp-Cabinet-page-row-title" text={tick.skipped} />
            <span className="jp-Cabinet-page-figure" title={fullTime(tick.due)}>
              {when(tick.due, new Date(), trans)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
