/**
 * The head of a session: the instruction, and its run’s state in one line.
 */
import { caretLeftIcon, caretRightIcon, refreshIcon, stopIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { Run } from '../../api/types';
import { isFinal, isWorking, runLabel, secondText } from '../../runs';
import { ownerOf, useApprovals } from '../../approvals/views';
import { Button, StateMark } from '../../shared/views/components';
import { useChanges, useNow } from '../../shared/views/hooks';
import { useServices } from './services';
import { Untrusted } from '../../shared/views/Untrusted';

export function RunHead(props: {
  run: Run;
  line: React.RefObject<HTMLDivElement>;
  left: boolean;
  onBlur: () => void;
}): React.ReactElement {
  const { run } = props;
  const { focusComposer, trans, editor, connection } = useServices();
  const { icon } = runLabel(run, trans);
  const label = useStateLabel(run);
  const off = !connection.online;
  const mayRunAgain =
    isFinal(run) && run.state !== 'succeeded' && !editor.activeRun && !editor.isForeign;
  return (
    <header className="jp-Cabinet-run">
      <Untrusted block className="jp-Cabinet-run-instruction" text={run.instruction} />
      <div
        ref={props.line}
        className="jp-Cabinet-run-state"
        role="group"
        aria-label={trans.__('State of the run')}
        tabIndex={-1}
        onBlur={props.onBlur}
      >
        <StateMark icon={icon} />
        <strong>{label}</strong>
        {props.left ? (
          <span>{trans.__('You have left the terminal')}</span>
        ) : (
          <RunFacts run={run} />
        )}
        <span className="jp-Cabinet-spring" />
        <RunPager />
        {connection.mayRun && !isFinal(run) && (
          <Button
            icon={stopIcon}
            label={run.state === 'queued' ? trans.__('Cancel') : trans.__('Stop')}
            disabled={off}
            onClick={() => {
              void editor.stop();
              focusComposer();
            }}
          />
        )}
        {connection.mayRun && mayRunAgain && (
          <Button
            icon={refreshIcon}
            label={trans.__('Run again')}
            disabled={off || editor.submitting}
            onClick={() => {
              void editor.runAgain();
              focusComposer();
            }}
          />
        )}
      </div>
    </header>
  );
}

/** How long, for how much, behind which walls. */
function RunFacts({ run }: { run: Run }): React.ReactElement {
  const { trans } = useServices();
  const now = useNow(isWorking(run));
  return (
    <>
      <span className="jp-Cabinet-run-second">{secondText(run, now, trans)}</span>
      {!run.isolated && isWorking(run) && (
        <span
          className="jp-Cabinet-run-second"
          title={trans.__('No sandbox: the run has the power of the server’s user.')}
        >
          {trans.__('not isolated')}
        </span>
      )}
    </>
  );
}

/** "Waiting for you", or for whom. */
function useStateLabel(run: Run): string {
  const { store, trans } = useApprovals();
  useChanges(store.changed);
  const [first] = store.waitingOf(run.id);
  return run.state === 'waiting' && first && !first.may_answer
    ? trans.__('Waiting for %1', ownerOf(first.approval))
    : runLabel(run, trans).label;
}

function RunPager(): React.ReactElement | null {
  const { trans, editor } = useServices();
  const { index, runs } = editor;
  if (runs.length < 2) {
    return null;
  }
  return (
    <span className="jp-Cabinet-pager">
      <Button
        bare
        icon={caretLeftIcon}
        label={trans.__('Earlier instruction')}
        disabled={index === 0}
        onClick={() => editor.select(index - 1)}
      />
      <span>{trans.__('%1 of %2', index + 1, runs.length)}</span>
      <Button
        bare
        icon={caretRightIcon}
        label={trans.__('Later instruction')}
        disabled={index === runs.length - 1}
        onClick={() => editor.select(index + 1)}
      />
    </span>
  );
}
