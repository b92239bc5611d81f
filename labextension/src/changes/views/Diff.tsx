/**
 * The lines of one changed file, those of a notebook by cell.
 */
import { checkIcon, type LabIcon, refreshIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { FileDiff, Run } from '../../api/types';
import { Button } from '../../shared/views/components';
import { DiffLines } from '../../shared/views/DiffLines';
import { Untrusted } from '../../shared/views/Untrusted';
import type { Decision } from '../stores/changes';
import { decisionLabel, partLabel } from '../stores/labels';
import { useChangesServices } from './services';

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
        <Part key={index} run={run} path={path} part={part} number={index + 1} />
      ))}
    </div>
  );
}

type DiffPart = FileDiff['parts'][number];

function Part(props: {
  run: Run;
  path: string;
  part: DiffPart;
  number: number;
}): React.ReactElement {
  const { number, part, path, run } = props;
  const { changes, mayDecide, trans } = useChangesServices();
  const title = part.title || partLabel(part, trans);
  const decided = decisionLabel(part, trans);
  const file = changes.of(run)?.files.find(each => each.path === path);
  const mayAct = part.id !== '' && !file?.decision && mayDecide(run);
  const act = (decision: Decision, icon: LabIcon, label: string) => (
    <Button
      bare
      icon={icon}
      label={label}
      busy={changes.isBusy(run)}
      onClick={() => void changes.decide(run, decision, [path], { part: part.id })}
    />
  );
  return (
    <section className="jp-Cabinet-diff-part" aria-label={trans.__('Change %1: %2', number, title)}>
      <div className="jp-Cabinet-diff-head">
        <span className="jp-Cabinet-diff-title">{title}</span>
        <span className="jp-Cabinet-spring" />
        {decided && <Untrusted className="jp-Cabinet-quiet" text={decided} />}
        {mayAct && (
          <span className="jp-Cabinet-change-actions">
            {part.decision ? (
              act('undo', refreshIcon, trans.__('Undo the decision on change %1', number))
            ) : (
              <>
                {act('accept', checkIcon, trans.__('Accept change %1', number))}
                {act('revert', undoIcon, trans.__('Revert change %1', number))}
              </>
            )}
          </span>
        )}
      </div>
      {part.lines.length > 0 && <DiffLines lines={part.lines} label={title} />}
    </section>
  );
}
