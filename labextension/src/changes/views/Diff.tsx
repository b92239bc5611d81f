/**
 * The lines of one changed file, those of a notebook by cell.
 */
import * as React from 'react';

import type { FileDiff, Run } from '../../api/types';
import { Untrusted } from '../../shared/views/Untrusted';
import { useChangesServices } from './services';

const SIGNS = { ' ': ' ', '+': '+', '-': '−' } as const;
const KINDS = { ' ': 'same', '+': 'added', '-': 'removed' } as const;

export function Diff({ run, path }: { run: Run; path: string }): React.ReactElement | null {
  const { changes } = useChangesServices();
  const diff = changes.diff(run, path);
  React.useEffect(() => void changes.readDiff(run, path), [changes, run, path]);
  if (!diff) {
    return null;
  }
  return (
    <div className="jp-Cabinet-diff">
      {diff.note && <p className="jp-Cabinet-quiet">{diff.note}</p>}
      {diff.parts.map((part, index) => (
        <React.Fragment key={index}>
          {part.title && <p className="jp-Cabinet-diff-title">{part.title}</p>}
          {part.lines.length > 0 && <Lines part={part} />}
        </React.Fragment>
      ))}
    </div>
  );
}

function Lines({ part }: { part: FileDiff['parts'][number] }): React.ReactElement {
  const { trans } = useChangesServices();
  return (
    <div
      className="jp-Cabinet-diff-lines"
      role="group"
      tabIndex={0}
      aria-label={part.title || trans.__('Lines from %1', part.new_start)}
    >
      {part.lines.map((line, index) => (
        <div key={index} className={`jp-Cabinet-diff-line jp-mod-${KINDS[line.sign]}`}>
          <span className="jp-Cabinet-diff-sign">{SIGNS[line.sign]}</span>
          <Untrusted text={line.text} />
        </div>
      ))}
    </div>
  );
}
