/**
 * The agents' cards in as many columns as there is room for. Only the rows in sight are drawn. One card is the stop of
 * the Tab key; arrows move between cards, with Ctrl and Shift they move the card itself, and so does dragging.
 */
import * as React from 'react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';

import type { AgentRow } from '../../../api/types';
import { Commands } from '../../../shared/commands';
import { visible } from '../../../shared/untrusted';
import { type IFocusTargets, useKeptFocus } from '../../../shared/views/keptFocus';
import { statusLabel } from '../../stores/labels';
import { isFocusLost } from '../parts';
import { BoardCard } from './BoardCard';
import { useBoard } from './services';

/** In pixels. */
const CARD_MIN = 320;
const GAP = 12;
const OVERSCAN = 400;
const MIME = 'application/x-cabinet-agent';

/** A button of a card is gone: the card itself says in which state the agent is now. */
const FOCUS: IFocusTargets = {
  parts: [['.jp-Cabinet-board-item', '']],
  key: 'data-agent', // another state may sort it into another row
  places: []
};

/** How far a key goes, in cards; `columns` are in a row. */
export function stepOf(key: string, columns: number): number | null {
  const steps: Record<string, number> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    Home: -Infinity,
    End: Infinity
  };
  return steps[key] ?? null;
}

export function CardGrid({ agents }: { agents: readonly AgentRow[] }): React.ReactElement {
  const { board, has, run, trans } = useBoard();
  const root = React.useRef<HTMLDivElement>(null);
  const list = React.useRef<VirtuosoHandle>(null);
  useKeptFocus(root, FOCUS);
  const columns = useColumns(root);
  const [chosen, choose] = React.useState<string | null>(null);
  const place = Math.max(
    0,
    agents.findIndex(({ slug }) => slug === chosen)
  );
  const focus = useFocus(root, slug => {
    const index = agents.findIndex(agent => agent.slug === slug);
    list.current?.scrollIntoView({ index: Math.floor(index / columns) });
  });
  const onKeyDown = (event: React.KeyboardEvent<HTMLElement>) => {
    const card = event.target as HTMLElement;
    const slug = card.dataset.agent;
    const step = stepOf(event.key, columns);
    if (slug === undefined || step === null) {
      focus(null);
    }
    if (slug === undefined) {
      return; // the key is for a button of the card
    }
    if (event.key === 'Enter' && has(Commands.openAgent)) {
      event.preventDefault();
      run(Commands.openAgent, { agent: slug });
    } else if (step !== null && !event.altKey && !event.metaKey) {
      event.preventDefault();
      const to = agents[Math.min(agents.length - 1, Math.max(0, place + step))].slug;
      if (!event.ctrlKey) {
        choose(to);
        focus(to);
      } else if (event.shiftKey && to !== slug) {
        board.put(slug, to);
        focus(slug);
      }
    }
  };
  const before = React.useRef({ place, hadFocus: false });
  const isGone = chosen !== null && !agents.some(({ slug }) => slug === chosen);
  React.useEffect(() => {
    if (isGone && before.current.hadFocus && isFocusLost()) {
      const next = agents[Math.min(before.current.place, agents.length - 1)].slug;
      choose(next);
      focus(next); // the card that had the focus was removed
    }
    before.current.place = isGone ? before.current.place : place;
  });
  const rows = Math.ceil(agents.length / columns);
  return (
    <div
      ref={root}
      className="jp-Cabinet-board-grid"
      onKeyDown={onKeyDown}
      onFocus={() => (before.current.hadFocus = true)}
      onBlur={({ relatedTarget }) => (before.current.hadFocus = relatedTarget === null)}
    >
      <Virtuoso
        ref={list}
        role="list"
        aria-label={trans.__('Agents')}
        tabIndex={-1}
        totalCount={rows}
        increaseViewportBy={OVERSCAN}
        computeItemKey={row => agents[row * columns]?.slug ?? row}
        itemContent={row => (
          <div className="jp-Cabinet-board-row" style={{ '--columns': columns } as object}>
            {agents.slice(row * columns, (row + 1) * columns).map((agent, column) => (
              <Item
                key={agent.slug}
                agent={agent}
                index={row * columns + column}
                count={agents.length}
                isChosen={row * columns + column === place}
                onFocus={() => choose(agent.slug)}
              />
            ))}
          </div>
        )}
      />
    </div>
  );
}

function Item(props: {
  agent: AgentRow;
  index: number;
  count: number;
  isChosen: boolean;
  onFocus: () => void;
}): React.ReactElement {
  const { agent, count, index, isChosen, onFocus } = props;
  const { board, trans } = useBoard();
  const [isTarget, target] = React.useState(false);
  const tabIndex = isChosen ? 0 : -1;
  const carries = (event: React.DragEvent) => event.dataTransfer.types.includes(MIME);
  return (
    <div
      role="listitem"
      className={`jp-Cabinet-board-item ${isTarget ? 'jp-mod-target' : ''}`.trim()}
      data-agent={agent.slug}
      tabIndex={tabIndex}
      aria-label={trans.__('%1, %2', visible(agent.name), statusLabel(agent.status, trans).label)}
      aria-keyshortcuts="Control+Shift+ArrowLeft Control+Shift+ArrowRight"
      aria-setsize={count}
      aria-posinset={index + 1}
      onFocus={onFocus}
      draggable
      onDragStart={event => {
        event.dataTransfer.setData(MIME, agent.slug);
        event.dataTransfer.effectAllowed = 'move';
      }}
      onDragOver={event => {
        if (carries(event)) {
          event.preventDefault();
          target(true);
        }
      }}
      onDragLeave={() => target(false)}
      onDrop={event => {
        target(false);
        if (carries(event)) {
          event.preventDefault();
          board.put(event.dataTransfer.getData(MIME), agent.slug);
        }
      }}
    >
      <BoardCard agent={agent} tabIndex={tabIndex} />
    </div>
  );
}

/** As many as fit; kept up while the element changes its width. */
function useColumns(element: React.RefObject<HTMLElement>): number {
  const [columns, setColumns] = React.useState(3);
  React.useLayoutEffect(() => {
    const measure = () => {
      const width = element.current!.clientWidth - GAP;
      setColumns(Math.max(1, Math.floor(width / (CARD_MIN + GAP))));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element.current!);
    measure();
    return () => observer.disconnect();
  }, [element]);
  return columns;
}

/**
 * Gives a function that focuses a card as soon as it is drawn, and again if the list redraws it in another
 * place, until the person does something else. `reveal` brings it into sight.
 */
function useFocus(
  root: React.RefObject<HTMLElement>,
  reveal: (slug: string) => void
): (slug: string | null) => void {
  const wanted = React.useRef<{ slug: string; isDone: boolean } | null>(null);
  const [, bump] = React.useReducer((count: number) => count + 1, 0);
  const tryIt = React.useCallback(() => {
    const { current } = wanted;
    const card = current && root.current!.querySelector<HTMLElement>(cardOf(current.slug));
    if (card && (!current.isDone || document.activeElement === document.body)) {
      current.isDone = true;
      card.focus();
      card.scrollIntoView({ block: 'nearest' });
    }
    return card !== null;
  }, [root]);
  React.useEffect(() => {
    const forget = () => (wanted.current = null);
    const observer = new MutationObserver(tryIt);
    observer.observe(root.current!, { childList: true, subtree: true });
    document.addEventListener('pointerdown', forget, true);
    return () => {
      observer.disconnect();
      document.removeEventListener('pointerdown', forget, true);
    };
  }, [root, tryIt]);
  React.useLayoutEffect(() => {
    if (!tryIt() && wanted.current) {
      reveal(wanted.current.slug);
    }
  });
  return slug => {
    wanted.current = slug === null ? null : { slug, isDone: false };
    bump();
  };
}

function cardOf(slug: string): string {
  return `[data-agent="${slug}"]`;
}
