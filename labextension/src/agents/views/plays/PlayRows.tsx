/**
 * Plays as a list of rows with one tab stop: arrows, Home and End move, Enter chooses.
 */
import * as React from 'react';

import type { PlayRow } from '../../../api/types';
import { playIcon } from '../../../shared/icons';
import { fullTime } from '../../../shared/time';
import { visible } from '../../../shared/untrusted';
import { Icon, StateMark } from '../../../shared/views/components';
import { type INames, playStatus, startWords } from '../../stores/plays/words';
import { useNames, usePlays } from './services';

export function PlayRows(props: {
  plays: readonly PlayRow[];
  current: string | null;
  onChoose: (slug: string) => void;
}): React.ReactElement {
  const { current, onChoose, plays } = props;
  const { trans } = usePlays();
  const names = useNames(plays);
  const stop = plays.some(({ slug }) => slug === current) ? current : plays[0]?.slug;
  const onKeyDown = (event: React.KeyboardEvent<HTMLUListElement>) => {
    const at = plays.findIndex(({ slug }) => slug === stop);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: plays.length - 1 }[event.key];
    if (next !== undefined && plays[next]) {
      event.preventDefault();
      onChoose(plays[next].slug);
      event.currentTarget.children[next].querySelector('button')!.focus();
    }
  };
  return (
    <ul
      className="jp-Cabinet-plain-list jp-Cabinet-play-rows"
      aria-label={trans.__('Plays')}
      onKeyDown={onKeyDown}
    >
      {plays.map(play => (
        <Row
          key={play.slug}
          play={play}
          isCurrent={play.slug === current}
          isStop={play.slug === stop}
          onChoose={onChoose}
          names={names}
        />
      ))}
    </ul>
  );
}

function Row(props: {
  play: PlayRow;
  isCurrent: boolean;
  /** It has the tab stop of the list. */
  isStop: boolean;
  onChoose: (slug: string) => void;
  names: INames;
}): React.ReactElement {
  const { isCurrent, isStop, names, onChoose, play } = props;
  const { plays, trans } = usePlays();
  const state = playStatus(play, trans);
  const isUnsaved = plays?.isUnsaved(play.slug) ?? false;
  return (
    <li>
      <button
        type="button"
        className="jp-Cabinet-page-row jp-mod-two"
        data-play={play.slug}
        aria-current={isCurrent || undefined}
        tabIndex={isStop ? 0 : -1}
        onClick={() => onChoose(play.slug)}
      >
        <Icon icon={playIcon} />
        <span className="jp-Cabinet-page-row-title">
          <strong>{visible(play.title || play.name)}</strong>
          <span className="jp-Cabinet-page-row-second">
            {visible(startWords(play, names, trans))}
          </span>
        </span>
        {isUnsaved && <span className="jp-Cabinet-quiet">{trans.__('Not saved')}</span>}
        {state && (
          <span
            className="jp-Cabinet-play-state"
            title={play.last ? fullTime(play.last.timestamp) : undefined}
          >
            <StateMark icon={state.icon} />
            {state.label}
          </span>
        )}
      </button>
    </li>
  );
}
