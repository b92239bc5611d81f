/**
 * What the activity is narrowed by. Texts count when one stops typing.
 */
import * as React from 'react';

import type { RunState } from '../../api/types';
import { stateLabel } from '../../runs';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { type IActivityFilter, NO_FILTER } from '../stores/activityList';
import { useActivity } from './services';

/** Milliseconds without a key. */
const PAUSE = 300;
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

export function ActivityFilters(): React.ReactElement {
  const { activity, trans } = useActivity();
  const [filter, setFilter] = React.useState<IActivityFilter>({ ...activity.filter });
  const timer = React.useRef<ReturnType<typeof setTimeout>>();
  React.useEffect(() => () => clearTimeout(timer.current), []);
  // "Clear the filters" may stand elsewhere.
  React.useEffect(() => setFilter({ ...activity.filter }), [activity.filter]);

  const change = (values: Partial<IActivityFilter>, pause: number) => {
    const next = { ...filter, ...values };
    setFilter(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void activity.narrow(next), pause);
  };
  const known = (of: (at: number) => string | null | undefined) => [
    ...new Set((activity.items ?? []).map((_, at) => of(at)).filter(Boolean))
  ];
  const items = activity.items ?? [];
  const text = (name: 'q' | 'person' | 'agent' | 'runtime' | 'path', label: string) => (
    <Text
      label={label}
      value={filter[name]}
      known={
        {
          q: [],
          path: [],
          person: known(at => items[at].run.trigger.display_name),
          agent: known(at => items[at].agent_name || items[at].run.agent),
          runtime: known(at => items[at].run.runtime)
        }[name] as string[]
      }
      onChange={value => change({ [name]: value }, PAUSE)}
    />
  );
  const day = (name: 'from' | 'to', label: string) => (
    <label className="jp-Cabinet-activity-filter">
      <span>{label}</span>
      <input
        type="date"
        value={filter[name]}
        onChange={event => change({ [name]: event.target.value }, PAUSE)}
      />
    </label>
  );
  const box = (name: 'changed' | 'asked', label: string) => (
    <label className="jp-Cabinet-activity-box">
      <input
        type="checkbox"
        checked={filter[name]}
        onChange={event => change({ [name]: event.target.checked }, 0)}
      />
      {label}
    </label>
  );
  return (
    <div className="jp-Cabinet-activity-filters" role="search" aria-label={trans.__('Filters')}>
      {text('q', trans.__('Words'))}
      {text('person', trans.__('Asked by'))}
      {text('agent', trans.__('Agent'))}
      {text('runtime', trans.__('Runtime'))}
      <label className="jp-Cabinet-activity-filter">
        <span>{trans.__('State')}</span>
        <select
          className="jp-Cabinet-select"
          value={filter.state}
          onChange={event => change({ state: event.target.value }, 0)}
        >
          <option value="">{trans.__('Any')}</option>
          {STATES.map(state => (
            <option key={state} value={state}>
              {stateLabel(state, trans).label}
            </option>
          ))}
        </select>
      </label>
      {text('path', trans.__('Document or folder'))}
      {day('from', trans.__('From'))}
      {day('to', trans.__('To'))}
      {box('changed', trans.__('Changed files'))}
      {box('asked', trans.__('Asked for approval'))}
      {activity.isFiltered && (
        <Button link label={trans.__('Clear')} onClick={() => change(NO_FILTER, 0)} />
      )}
    </div>
  );
}

function Text(props: {
  label: string;
  value: string;
  known: string[];
  onChange: (value: string) => void;
}): React.ReactElement {
  const id = React.useId();
  return (
    <label className="jp-Cabinet-activity-filter">
      <span>{props.label}</span>
      <input
        type="text"
        value={props.value}
        list={props.known.length ? id : undefined}
        onChange={event => props.onChange(event.target.value)}
      />
      {props.known.length > 0 && (
        <datalist id={id}>
          {props.known.map(each => (
            <option key={each} value={visible(each)} />
          ))}
        </datalist>
      )}
    </label>
  );
}
