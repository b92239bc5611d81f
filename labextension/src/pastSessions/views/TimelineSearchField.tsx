/**
 * The search above a timeline: words, the number of matches, next and previous.
 */
import { caretDownEmptyThinIcon, caretUpEmptyThinIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { SearchField } from '../../shared/views/SearchField';
import type { TimelineSearch } from '../stores/timelineSearch';
import { usePastSessions } from './services';

export function TimelineSearchField({ search }: { search: TimelineSearch }): React.ReactElement {
  const { connection, trans } = usePastSessions();
  useChanges(search.changed);
  const none = search.places?.length ? null : trans.__('There is no match.');
  return (
    <SearchField
      search={search}
      label={trans.__('Search in this session')}
      className="jp-Cabinet-past-find"
      inputClassName="jp-Cabinet-input jp-Cabinet-past-search"
      disabled={!connection.online}
      onEnter={(words, isNew, isBack) =>
        isNew ? void search.find(words) : search.step(isBack ? -1 : 1)
      }
      status={words => words.trim() && countText(search, trans)}
    >
      {enter => (
        <>
          <Button
            bare
            icon={caretUpEmptyThinIcon}
            label={trans.__('Previous match')}
            blocked={none}
            onClick={() => enter(true)}
          />
          <Button
            bare
            icon={caretDownEmptyThinIcon}
            label={trans.__('Next match')}
            blocked={none}
            onClick={() => enter(false)}
          />
        </>
      )}
    </SearchField>
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
