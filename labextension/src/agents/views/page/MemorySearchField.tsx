/**
 * The field above the files of an agent's memory, and the passages that have all of its words.
 */
import * as React from 'react';

import type { MemoryMatch } from '../../../api/types';
import { visible } from '../../../shared/untrusted';
import { useChanges } from '../../../shared/views/hooks';
import { SearchField } from '../../../shared/views/SearchField';
import { partsOf } from '../../stores/page/memorySearch';
import { Refused } from '../parts';
import { usePage } from './services';

const FOLDER = 'memory/';

/** `onOpen` is called with the first match when a person presses Enter. */
export function MemorySearchField(props: {
  onOpen: (match: MemoryMatch) => void;
  onDown: () => void;
}): React.ReactElement {
  const { connection, page, trans } = usePage();
  const { memorySearch: search } = page;
  useChanges(search.changed, connection.changed);
  const openFirst = async (words: string, isNew: boolean) => {
    if (isNew || search.matches === null) {
      await search.find(words);
    }
    if (search.matches?.length && words.trim() === search.q) {
      props.onOpen(search.matches[0]);
    }
  };
  return (
    <SearchField
      search={search}
      label={trans.__('Search the memory')}
      className="jp-Cabinet-page-search"
      inputClassName="jp-Cabinet-page-field"
      disabled={!connection.online}
      onEnter={(words, isNew) => void openFirst(words, isNew)}
      onKeyDown={(event, clear) => {
        if (event.key === 'ArrowDown') {
          event.preventDefault();
          props.onDown();
        } else if (event.key === 'Escape' && event.currentTarget.value) {
          event.preventDefault();
          event.stopPropagation();
          clear();
        }
      }}
      status={() => search.q && <Count />}
    />
  );
}

/** How many passages were found, and what was not searched. */
function Count(): React.ReactElement | null {
  const { page, trans } = usePage();
  const { leftOut, matches, problem } = page.memorySearch;
  if (matches === null) {
    return problem === null ? <>{trans.__('Searching…')}</> : null;
  }
  const count = matches.length
    ? trans._n('%1 passage', '%1 passages', matches.length)
    : trans.__('No passage of the memory has all of these words.');
  const left = trans._n(
    '%1 file was not searched: it is too large, cannot be read, or is not indexed yet.',
    '%1 files were not searched: they are too large, cannot be read, or are not indexed yet.',
    leftOut
  );
  return <>{leftOut ? `${count} ${left}` : count}</>;
}

export function MemoryMatches(props: {
  chosen: MemoryMatch | null;
  onOpen: (match: MemoryMatch) => void;
  onUp: () => void;
}): React.ReactElement {
  const { page, trans } = usePage();
  const { memorySearch: search } = page;
  useChanges(search.changed);
  const chosen = props.chosen && keyOf(props.chosen);
  const onKeyDown = (event: React.KeyboardEvent<HTMLUListElement>) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') {
      return;
    }
    event.preventDefault();
    const rows = [...event.currentTarget.querySelectorAll('button')];
    const at = rows.indexOf(document.activeElement as HTMLButtonElement);
    const next = at + (event.key === 'ArrowDown' ? 1 : -1);
    if (next < 0) {
      props.onUp();
    } else {
      rows[next]?.focus();
    }
  };
  if (!search.matches?.length) {
    return <Refused text={search.problem} />;
  }
  return (
    <>
      <Refused text={search.problem} />
      <ul
        className="jp-Cabinet-plain-list"
        aria-label={trans.__('Passages with these words')}
        onKeyDown={onKeyDown}
      >
        {search.matches.map(match => (
          <li key={keyOf(match)}>
            <button
              type="button"
              className="jp-Cabinet-page-row jp-mod-two"
              aria-current={keyOf(match) === chosen || undefined}
              title={trans.__('Lines %1 to %2', match.first_line, match.last_line)}
              onClick={() => props.onOpen(match)}
            >
              <span className="jp-Cabinet-page-file">
                <strong>{visible(match.path.slice(FOLDER.length))}</strong>
                <span className="jp-Cabinet-page-row-second jp-mod-excerpt">
                  {partsOf(match).map(({ isHit, text }, index) =>
                    isHit ? <mark key={index}>{visible(text)}</mark> : visible(text)
                  )}
                </span>
              </span>
              <span className="jp-Cabinet-page-figure">{trans.__('Line %1', match.line)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A file has one match at each place. */
function keyOf({ excerpt, first_line, line, path }: MemoryMatch): string {
  return `${path} ${first_line} ${line} ${excerpt}`;
}
