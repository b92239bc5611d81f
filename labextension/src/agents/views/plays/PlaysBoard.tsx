/**
 * All plays: a list or a graph of what starts what, and the selected one beside it.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { addIcon, searchIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { RunStore, WorkSwitchStore } from '../../../runs';
import { AllPaused } from '../../../runs/views';
import { playIcon } from '../../../shared/icons';
import { visible } from '../../../shared/untrusted';
import { Card, Icon } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { type IFocusTargets, useKeptFocus } from '../../../shared/views/keptFocus';
import { Loading } from '../../../shared/views/Loading';
import { OfflineStrip } from '../../../shared/views/OfflineStrip';
import type { PlaysStore } from '../../stores/plays/board';
import { isFocusLost, MayButton, Nothing, Refused } from '../parts';
import { NewPlay } from './NewPlay';
import { Play } from './Play';
import { PlayEditor } from './PlayEditor';
import { PlayRows } from './PlayRows';
import { useNames, usePlays, useRights } from './services';

/** The graph needs a library, so it is loaded when it is first shown. */
const PlayGraph = React.lazy(() =>
  import(/* webpackChunkName: "play-graph" */ './PlayGraph').then(made => ({
    default: made.PlayGraph
  }))
);

/** The row of a play that was deleted stays until the list is read again. */
const FOCUS: IFocusTargets = { parts: [], places: ['[aria-current=true]', '[data-first-focus]'] };
/** While a play is made: `useWayBack` moves the focus, once the play is listed. */
const NO_FOCUS: IFocusTargets = { parts: [], places: [] };

export function PlaysBoard(props: {
  plays: PlaysStore;
  runs: RunStore;
  workSwitch: WorkSwitchStore;
}): React.ReactElement {
  const { plays, runs, workSwitch } = props;
  const { connection, trans } = usePlays();
  useChanges(plays.changed, connection.changed);
  const place = React.useRef<HTMLElement>(null);
  useKeptFocus(place, plays.isNew || plays.isComing ? NO_FOCUS : FOCUS);
  useWayBack(place, plays.isNew || plays.isEditing, plays.isComing);
  return (
    <section
      ref={place}
      className="jp-Cabinet-page jp-Cabinet-plays"
      aria-label={trans.__('Plays')}
    >
      <Tools plays={plays} />
      <OfflineStrip connection={connection} trans={trans} />
      <AllPaused connection={connection} runs={runs} workSwitch={workSwitch} trans={trans} />
      {plays.list.value?.problems.map(text => (
        <Refused key={text} text={text} />
      ))}
      <div className="jp-Cabinet-page-panel">
        {plays.isNew ? (
          <NewPlay
            onMade={slug => {
              plays.forget(null);
              plays.choose(slug, { isMade: true });
            }}
            onClose={() => plays.want({ isNew: false })}
            onCancel={() => {
              plays.forget(null);
              plays.want({ isNew: false });
            }}
          />
        ) : (
          <Panel plays={plays} />
        )}
      </div>
    </section>
  );
}

/**
 * When a form is closed, the focus moves to the selected play, or else to the search. `isComing`: the play was just
 * made, and appears in the list in a moment.
 */
function useWayBack(
  place: React.RefObject<HTMLElement>,
  isWriting: boolean,
  isComing: boolean
): void {
  const wasWriting = React.useRef(isWriting);
  React.useEffect(() => {
    if (wasWriting.current && !isWriting && isComing) {
      return;
    }
    if (wasWriting.current && !isWriting && isFocusLost()) {
      const find = (selector: string) => place.current!.querySelector<HTMLElement>(selector);
      (find('[aria-current=true]') ?? find('[data-first-focus]'))?.focus();
    }
    wasWriting.current = isWriting;
  }, [isWriting, isComing]);
}

function Panel({ plays }: { plays: PlaysStore }): React.ReactElement {
  const { trans } = usePlays();
  const { agent, current, search } = plays;
  // The graph is only laid out again for other plays.
  const shown = React.useMemo(() => plays.shown, [plays, plays.list.value, search, agent]);
  if (plays.plays === null) {
    return plays.list.problem ? (
      <Refused text={plays.list.problem} />
    ) : (
      <Loading label={trans.__('Loading plays')} />
    );
  }
  if (plays.isEditing && current) {
    return (
      <PlayEditor key={current} slug={current} onDone={() => plays.want({ isEditing: false })} />
    );
  }
  if (plays.plays.length === 0) {
    return <Empty plays={plays} />;
  }
  return (
    <div className={`jp-Cabinet-page-split jp-mod-${plays.view}`}>
      <div className="jp-Cabinet-page-list">
        {shown.length === 0 && <Nothing>{trans.__('No plays match your filter.')}</Nothing>}
        {plays.view === 'list' ? (
          <PlayRows plays={shown} current={current} onChoose={slug => plays.choose(slug)} />
        ) : (
          <React.Suspense fallback={<Loading label={trans.__('Loading the graph')} />}>
            <PlayGraph plays={shown} current={current} onChoose={slug => plays.choose(slug)} />
          </React.Suspense>
        )}
      </div>
      <div className="jp-Cabinet-page-beside">
        {current && <Play key={current} slug={current} onEdit={() => plays.edit(current)} />}
      </div>
    </div>
  );
}

function Empty({ plays }: { plays: PlaysStore }): React.ReactElement {
  const { trans } = usePlays();
  const { change } = useRights(null);
  return (
    <Card
      icon={<Icon icon={playIcon} />}
      title={trans.__('No plays yet')}
      actions={
        <MayButton
          filled
          icon={addIcon}
          label={newPlayLabel(plays, trans)}
          whyNot={change}
          onClick={() => plays.want({ isNew: true })}
        />
      }
    >
      {trans.__(
        'A play is an instruction that an agent runs repeatedly: on request, on a schedule, or after an event.'
      )}
    </Card>
  );
}

/** What was begun is not lost: the button says how to come back to it. */
function newPlayLabel(plays: PlaysStore, trans: TranslationBundle): string {
  return plays.hasBegunNew && !plays.isNew ? trans.__('Continue new play') : trans.__('New play');
}

function Tools({ plays }: { plays: PlaysStore }): React.ReactElement {
  const { trans } = usePlays();
  const names = useNames();
  const { change } = useRights(null);
  const views = [
    ['list', trans.__('List')],
    ['graph', trans.__('Graph')]
  ] as const;
  return (
    <div className="jp-Cabinet-board-tools">
      <label className="jp-Cabinet-board-search">
        <Icon icon={searchIcon} />
        <input
          type="search"
          data-first-focus
          value={plays.search}
          placeholder={trans.__('Filter plays')}
          aria-label={trans.__('Filter plays')}
          onChange={event => plays.want({ search: event.target.value })}
        />
      </label>
      <select
        className="jp-Cabinet-page-select"
        aria-label={trans.__('Agent')}
        value={plays.agent}
        onChange={event => plays.want({ agent: event.target.value })}
      >
        <option value="">{trans.__('All agents')}</option>
        {plays.agents.map(slug => (
          <option key={slug} value={slug}>
            {visible(names.agent(slug))}
          </option>
        ))}
      </select>
      <div className="jp-Cabinet-board-filters" role="group" aria-label={trans.__('View')}>
        {views.map(([view, label]) => (
          <button
            key={view}
            type="button"
            aria-pressed={plays.view === view}
            onClick={() => plays.want({ view, isEditing: false, isNew: false })}
          >
            {label}
          </button>
        ))}
      </div>
      <span className="jp-Cabinet-spring" />
      <MayButton
        icon={addIcon}
        label={newPlayLabel(plays, trans)}
        whyNot={change}
        onClick={() => plays.want({ isNew: true })}
      />
    </div>
  );
}
