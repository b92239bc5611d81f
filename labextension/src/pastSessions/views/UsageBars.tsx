/**
 * What was used on each of the last days, as bars.
 */
import * as React from 'react';

import { cost } from '../../runs';
import { usageByDay, type IDay } from '../stores/labels';
import { usePastSessions } from './services';

/** Cost if it was reported for any day, else tokens. */
export function UsageBars(): React.ReactElement | null {
  const { sessions, trans } = usePastSessions();
  const days = React.useMemo(() => usageByDay(sessions.usage ?? [], new Date()), [sessions.usage]);
  if (!sessions.usage?.length) {
    return null;
  }
  const byCost = days.some(day => (day.cost ?? 0) > 0);
  const amount = (day: IDay) => (byCost ? (day.cost ?? 0) : day.tokens);
  const text = (value: number) =>
    byCost ? cost(value)! : trans.__('%1 tokens', value.toLocaleString('en'));
  const most = Math.max(...days.map(amount), Number.MIN_VALUE);
  const total = days.reduce((sum, day) => sum + amount(day), 0);
  const label = trans.__('Last 30 days: %1', text(total));
  return (
    <figure className="jp-Cabinet-past-usage">
      <figcaption>{label}</figcaption>
      <ol aria-label={label}>
        {days.map(day => (
          <li
            key={day.day}
            title={`${day.day}: ${text(amount(day))}`}
            aria-hidden={amount(day) === 0 || undefined}
          >
            <span style={{ height: `${(100 * amount(day)) / most}%` }} />
            <span className="jp-Cabinet-spoken">{`${day.day}: ${text(amount(day))}`}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}
