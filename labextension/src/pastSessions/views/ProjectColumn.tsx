/**
 * The working directories with sessions, and what was used in the last days.
 */
import * as React from 'react';

import { visible } from '../../shared/untrusted';
import { Untrusted } from '../../shared/views/Untrusted';
import { useArrows } from '../../shared/views/useArrows';
import { usePastSessions } from './services';
import { UsageBars } from './UsageBars';

export function ProjectColumn(): React.ReactElement {
  const { sessions, trans } = usePastSessions();
  const list = React.useRef<HTMLUListElement>(null);
  const projects = sessions.projects?.items ?? [];
  const arrows = useArrows(list, 'button', projects.length + 1);
  const all = projects.reduce((sum, project) => sum + project.sessions, 0);
  const rows = [{ cwd: '', sessions: all }, ...projects];
  return (
    <nav className="jp-Cabinet-past-projects" aria-label={trans.__('Projects')}>
      <h2>{trans.__('Projects')}</h2>
      <ul
        ref={list}
        className="jp-Cabinet-plain-list jp-Cabinet-pane-scroll"
        onKeyDown={arrows.onKeyDown}
      >
        {rows.map(({ cwd, sessions: count }, index) => (
          <li key={cwd}>
            <button
              type="button"
              className="jp-Cabinet-pane-choice jp-Cabinet-past-project"
              aria-current={cwd === sessions.filter.project || undefined}
              tabIndex={index === arrows.current ? 0 : -1}
              title={visible(cwd)}
              onFocus={() => arrows.setCurrent(index)}
              onClick={() => void sessions.narrow({ project: cwd })}
            >
              {cwd ? (
                <span className="jp-Cabinet-past-project-name">
                  <Untrusted text={nameOf(cwd)} />
                  <Untrusted className="jp-Cabinet-quiet" text={cwd} />
                </span>
              ) : (
                <span className="jp-Cabinet-past-project-name">{trans.__('All projects')}</span>
              )}
              <span
                className="jp-Cabinet-quiet"
                aria-label={trans._n('%1 session', '%1 sessions', count)}
              >
                {count.toLocaleString('en')}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <UsageBars />
    </nav>
  );
}

function nameOf(cwd: string): string {
  return cwd.split(/[/\\]/).filter(Boolean).pop() ?? cwd;
}
