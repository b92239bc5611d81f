/**
 * The next times that something is due, in the browser's time zone.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { dayAndTime, fromNow, fullTime } from '../../shared/time';
import { useNow } from '../../shared/views/hooks';

export function Upcoming(props: {
  times: readonly string[];
  trans: TranslationBundle;
}): React.ReactElement {
  const { times, trans } = props;
  const now = useNow(false);
  return (
    <ol className="jp-Cabinet-page-ticks" aria-label={trans.__('Next five runs')}>
      {times.map(time => (
        <li key={time} title={fullTime(time)}>
          <span>{dayAndTime(new Date(time), trans)}</span>
          <span className="jp-Cabinet-quiet">{fromNow(new Date(time), now, trans)}</span>
        </li>
      ))}
    </ol>
  );
}
