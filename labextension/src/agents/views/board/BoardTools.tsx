/**
 * What a person looks for among the agents, and in which order.
 */
import { searchIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { visible } from '../../../shared/untrusted';
import { Icon } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { FILTERS, SORTS, type Sort } from '../../stores/arranging';
import { filterLabel, sortLabel } from '../../stores/boardWords';
import { useBoard } from './services';

export function BoardTools(): React.ReactElement {
  const { board, trans } = useBoard();
  useChanges(board.changed);
  const { counts, departments, tags, wanted } = board;
  return (
    <div className="jp-Cabinet-board-tools">
      <label className="jp-Cabinet-board-search">
        <Icon icon={searchIcon} />
        <input
          type="search"
          data-first-focus
          value={wanted.search}
          placeholder={trans.__('Filter agents')}
          aria-label={trans.__('Filter agents')}
          onChange={event => board.want({ search: event.target.value })}
        />
      </label>
      <div className="jp-Cabinet-board-filters" role="group" aria-label={trans.__('State')}>
        {FILTERS.map(filter => (
          <button
            key={filter}
            type="button"
            aria-pressed={wanted.filter === filter}
            onClick={() => board.want({ filter })}
          >
            {filterLabel(filter, trans)} {counts[filter]}
          </button>
        ))}
      </div>
      <Choice
        label={trans.__('Department')}
        every={trans.__('All departments')}
        names={departments}
        value={wanted.department}
        onChange={department => board.want({ department })}
      />
      <Choice
        label={trans.__('Tag')}
        every={trans.__('All tags')}
        names={tags}
        value={wanted.tag}
        onChange={tag => board.want({ tag })}
      />
      <span className="jp-Cabinet-spring" />
      <label className="jp-Cabinet-board-sort">
        <span>{trans.__('Sort by')}</span>
        <select value={board.sort} onChange={event => board.sortBy(event.target.value as Sort)}>
          {SORTS.map(sort => (
            <option key={sort} value={sort}>
              {sortLabel(sort, trans)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** Absent where there is nothing to choose between. */
function Choice(props: {
  label: string;
  every: string;
  names: readonly string[];
  value: string;
  onChange: (name: string) => void;
}): React.ReactElement | null {
  const { every, label, names, onChange, value } = props;
  return names.length || value ? (
    <select aria-label={label} value={value} onChange={event => onChange(event.target.value)}>
      <option value="">{every}</option>
      {[...new Set([...names, ...(value ? [value] : [])])].map(name => (
        <option key={name} value={name}>
          {visible(name)}
        </option>
      ))}
    </select>
  ) : null;
}
