/**
 * A list of the library: buttons to add something, and a row for each skill or tool server.
 */
import * as React from 'react';

import type { StateIcon } from '../../shared/stateIcon';
import { Button, StateMark } from '../../shared/views/components';
import { Loading } from '../../shared/views/Loading';
import { Problem } from '../../shared/views/Problem';
import { Untrusted } from '../../shared/views/Untrusted';
import { useArrows } from '../../shared/views/useArrows';
import { visible } from '../../shared/untrusted';
import type { LibraryStore } from '../stores/library';
import { useSkills } from './services';

export interface ILibraryRow {
  name: string;
  icon: StateIcon;
  label: string;
  about?: string;
}

export function LibraryList(props: {
  label: string;
  loading: string;
  store: LibraryStore<{ name: string }, unknown> & { choose: (name: string) => void };
  /** Null until the first answer. */
  rows: ILibraryRow[] | null;
  /** The buttons above the rows. */
  adding: React.ReactNode;
  /** What is shown without rows. */
  empty: React.ReactNode;
}): React.ReactElement {
  const { adding, empty, label, loading, rows, store } = props;
  const list = React.useRef<HTMLUListElement>(null);
  const arrows = useArrows(list, '.jp-Cabinet-pane-row', rows?.length ?? 0);
  return (
    <section className="jp-Cabinet-pane-list" aria-label={label}>
      {rows === null && store.problem === null && <Loading label={loading} />}
      {rows?.length === 0 && empty}
      {rows !== null && rows.length > 0 && (
        <>
          <div className="jp-Cabinet-pane-tools">{adding}</div>
          <ul
            ref={list}
            className="jp-Cabinet-plain-list jp-Cabinet-pane-rows jp-Cabinet-pane-scroll"
            onKeyDown={arrows.onKeyDown}
          >
            {rows.map(({ about, icon, label: state, name }, index) => (
              <li key={name}>
                <button
                  type="button"
                  className="jp-Cabinet-pane-choice jp-Cabinet-pane-row"
                  aria-current={name === store.shown || undefined}
                  tabIndex={index === arrows.current ? 0 : -1}
                  onFocus={() => arrows.setCurrent(index)}
                  onClick={() => store.choose(name)}
                >
                  <strong>{name}</strong>
                  <span className="jp-Cabinet-pane-line">
                    <StateMark icon={icon} />
                    <span>{state}</span>
                  </span>
                  {about !== undefined && (
                    <Untrusted className="jp-Cabinet-library-about" text={about} />
                  )}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** What could not be read, and what the server has refused. */
export function LibraryProblems(props: {
  store: LibraryStore<{ name: string }, unknown>;
  reload: () => Promise<void>;
}): React.ReactElement {
  const { reload, store } = props;
  const { trans } = useSkills();
  const { gone, problem, problems, refusal } = store;
  return (
    <>
      {[...(problem === null ? [] : [problem]), ...problems].map(text => (
        <Problem
          key={text}
          trans={trans}
          text={text}
          action={<Button label={trans.__('Reload')} onClick={() => void reload()} />}
        />
      ))}
      {refusal !== null && (
        <Problem trans={trans} text={refusal} onDismiss={() => store.dismissRefusal()} />
      )}
      {gone !== null && (
        <Problem
          trans={trans}
          text={trans.__('%1 no longer exists.', visible(gone))}
          onDismiss={() => store.dismissGone()}
        />
      )}
    </>
  );
}
