/**
 * What the sessions are narrowed by. Words count when one stops typing.
 */
import * as React from 'react';

import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { GRADES } from '../stores/labels';
import { NO_FILTER, type ISessionFilter } from '../stores/sessionList';
import { usePastSessions, useRuntimeTitle } from './services';

/** Milliseconds without a key. */
const PAUSE = 300;

export function SessionFilters(): React.ReactElement {
  const { sessions, trans } = usePastSessions();
  const titleOf = useRuntimeTitle();
  const { filter, projects } = sessions;
  const [words, setWords] = React.useState(filter.q);
  const timer = React.useRef<ReturnType<typeof setTimeout>>();
  React.useEffect(() => () => clearTimeout(timer.current), []);
  React.useEffect(() => setWords(filter.q), [filter.q]); // "Clear the filters" is elsewhere too
  const search = (q: string) => {
    setWords(q);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void sessions.narrow({ q }), PAUSE);
  };
  const choice = (
    name: 'grade' | 'project' | 'runtime' | 'tag',
    label: string,
    options: [string, string][]
  ) => (
    <select
      className={`jp-Cabinet-input jp-Cabinet-past-choice jp-mod-${name}`}
      aria-label={label}
      value={filter[name]}
      onChange={event => void sessions.narrow({ [name]: event.target.value })}
    >
      <option value="">{label}</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
  const box = (name: keyof ISessionFilter & ('archived' | 'starred'), label: string) => (
    <label className="jp-Cabinet-box">
      <input
        type="checkbox"
        checked={filter[name]}
        onChange={event => void sessions.narrow({ [name]: event.target.checked })}
      />
      {label}
    </label>
  );
  const known = (values: string[]): [string, string][] => values.map(each => [each, visible(each)]);
  const runtimes = Object.entries(projects?.runtimes ?? {});
  return (
    <div className="jp-Cabinet-pane-tools" role="search" aria-label={trans.__('Filters')}>
      <input
        type="search"
        className="jp-Cabinet-input jp-Cabinet-past-search"
        aria-label={trans.__('Search sessions')}
        placeholder={trans.__('Search sessions')}
        value={words}
        onChange={event => search(event.target.value)}
      />
      {choice('project', trans.__('Project'), known((projects?.items ?? []).map(p => p.cwd)))}
      {choice(
        'runtime',
        trans.__('Runtime'),
        runtimes.map(([name, count]) => [name, trans.__('%1 (%2)', titleOf(name), count)])
      )}
      {choice(
        'grade',
        trans.__('Grade'),
        GRADES.map(grade => [grade, trans.__('Grade %1', grade)])
      )}
      {choice('tag', trans.__('Tag'), known(projects?.tags ?? []))}
      {box('starred', trans.__('Starred'))}
      {box('archived', trans.__('Archived'))}
      {sessions.isFiltered && (
        <Button
          link
          label={trans.__('Clear')}
          onClick={() => {
            clearTimeout(timer.current);
            setWords('');
            void sessions.narrow(NO_FILTER);
          }}
        />
      )}
    </div>
  );
}
