/**
 * The search above a timeline: words, the number of matches, next and previous.
 */
import { caretDownEmptyThinIcon, caretUpEmptyThinIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import type { TimelineSearch } from '../stores/timelineSearch';
import { usePastSessions } from './services';

/** Milliseconds without a key. */
const PAUSE = 300;

export function TimelineSearchField({ search }: { search: TimelineSearch }): React.ReactElement {
  const { connection, trans } = usePastSessions();
  useChanges(search.changed);
  const [words, setWords] = React.useState(search.q);
  const timer = React.useRef<ReturnType<typeof setTimeout>>();
  React.useEffect(() => () => clearTimeout(timer.current), []);
  React.useEffect(() => setWords(search.q), [search.q]); // the list has found the session by other words
  const type = (text: string) => {
    setWords(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void search.find(text), PAUSE);
  };
  const go = (by: 1 | -1) => {
    clearTimeout(timer.current);
    if (words.trim() === search.q) {
      search.step(by);
    } else {
      void search.find(words);
    }
  };
  const none = search.places?.length ? null : trans.__('There is no match.');
  const buttons: [1 | -1, string, typeof caretUpEmptyThinIcon][] = [
    [-1, trans.__('Previous match'), caretUpEmptyThinIcon],
    [1, trans.__('Next match'), caretDownEmptyThinIcon]
  ];
  return (
    <div
      className="jp-Cabinet-past-find"
      role="search"
      aria-label={trans.__('Search in this session')}
    >
      <input
        type="search"
        className="jp-Cabinet-input jp-Cabinet-past-search"
        aria-label={trans.__('Search in this session')}
        placeholder={trans.__('Search in this session')}
        value={words}
        disabled={!connection.online}
        onChange={event => type(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
            event.preventDefault();
            go(event.shiftKey ? -1 : 1);
          }
        }}
      />
      <span className="jp-Cabinet-quiet" role="status">
        {words.trim() && countText(search, trans)}
      </span>
      {buttons.map(([by, label, icon]) => (
        <Button key={by} bare icon={icon} label={label} blocked={none} onClick={() => go(by)} />
      ))}
    </div>
  );
}

/** "3 of 17", or why there is none. */
function countText(search: TimelineSearch, trans: TranslationBundle): string {
  const { isComplete, places, position, problem } = search;
  if (problem !== null) {
    return visible(problem);
  }
  if (places === null) {
    return trans.__('Searching…');
  }
  if (places.length === 0) {
    return trans.__('No match');
  }
  const count = places.length.toLocaleString('en');
  const all = isComplete ? count : trans.__('more than %1', count);
  return position === null
    ? trans._n('%1 match', '%1 matches', places.length)
    : trans.__('%1 of %2', (position + 1).toLocaleString('en'), all);
}
