/**
 * A goal over its period: its value against the one expected by now, its target and its floor; the periods
 * before as bars. The same values are in a table for people who cannot see them. uPlot draws it, loaded lazily.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Goal } from '../../api/types';
import { visible } from '../../shared/untrusted';
import { Untrusted } from '../../shared/views/Untrusted';
import { goalWords, type IPlot, number, periodWords, plotOf } from '../stores/goals';
import { useAgents } from './services';

import '../../../style/agents.css';

/** Below an `AgentContext`. */
export function GoalPlot({ goal }: { goal: Goal }): React.ReactElement {
  const { trans } = useAgents();
  const title = React.useId();
  // Drawn again when a value has changed, not with each answer of the server.
  const content = JSON.stringify(goal);
  const plot = React.useMemo(() => plotOf(JSON.parse(content) as Goal, new Date()), [content]);
  const heading = [goal.metric, periodWords(goal, trans)].filter(part => part).join(', ');
  return (
    <figure className="jp-Cabinet-goal" aria-labelledby={title}>
      <figcaption className="jp-Cabinet-goal-head">
        <strong id={title}>
          <Untrusted text={heading} />
        </strong>
        <Untrusted className="jp-Cabinet-quiet" text={goalWords(goal, trans)} />
      </figcaption>
      {plot ? (
        <>
          <Drawing plot={plot} />
          <Legend plot={plot} trans={trans} />
          <Values goal={goal} plot={plot} />
        </>
      ) : (
        <p className="jp-Cabinet-quiet">{trans.__('There is no data for this goal yet.')}</p>
      )}
    </figure>
  );
}

function Drawing({ plot }: { plot: IPlot }): React.ReactElement {
  const host = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    let end: (() => void) | null = null;
    let isGone = false;
    void import(/* webpackChunkName: "goal-plot" */ './drawGoal').then(({ drawGoal }) => {
      if (!isGone && host.current) {
        end = drawGoal(host.current, plot);
      }
    });
    return () => {
      isGone = true;
      end?.();
    };
  }, [plot]);
  return <div ref={host} className="jp-Cabinet-goal-drawing" aria-hidden="true" />;
}

function Legend({ plot, trans }: { plot: IPlot; trans: TranslationBundle }): React.ReactElement {
  const entries: [string, string][] = [
    ['now', trans.__('%1 now', number(plot.current))],
    ...(plot.target === null
      ? []
      : ([['expected', trans.__('Expected, up to %1', number(plot.target))]] as [
          string,
          string
        ][])),
    ...(plot.floor === null
      ? []
      : ([['floor', trans.__('Floor %1', number(plot.floor))]] as [string, string][])),
    ...(plot.past.length ? ([['past', trans.__('Earlier periods')]] as [string, string][]) : [])
  ];
  return (
    <div className="jp-Cabinet-goal-legend" aria-hidden="true">
      {entries.map(([kind, words]) => (
        <span key={kind} className="jp-Cabinet-goal-key" data-kind={kind}>
          {words}
        </span>
      ))}
    </div>
  );
}

/** For screen readers: what the drawing shows. */
function Values({ goal, plot }: { goal: Goal; plot: IPlot }): React.ReactElement {
  const { trans } = useAgents();
  const amount = (value: number | null) => (value === null ? '–' : number(value));
  const rows = [
    ...plot.past.map(({ period, actual, target }) => [visible(period), actual, target] as const),
    [trans.__('Now'), plot.current, plot.target] as const
  ];
  return (
    <table className="jp-Cabinet-spoken">
      <caption>
        {trans.__('Expected by now: %1. Floor: %2.', amount(plot.expected), amount(goal.floor))}
      </caption>
      <thead>
        <tr>
          <th scope="col">{trans.__('Period')}</th>
          <th scope="col">{visible(goal.metric)}</th>
          <th scope="col">{trans.__('Target')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([period, actual, target], index) => (
          <tr key={index}>
            <th scope="row">{period}</th>
            <td>{amount(actual)}</td>
            <td>{amount(target)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
