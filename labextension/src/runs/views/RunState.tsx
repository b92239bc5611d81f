/**
 * A run's state in one line: icon, word, how long, for how much, behind which walls.
 */
import * as React from 'react';

import type { Run } from '../../api/types';
import { ownerOf, useApprovals } from '../../approvals/views';
import { SHOW_SANDBOX } from '../../shared/lateCommands';
import { Button, StateMark } from '../../shared/views/components';
import { useChanges, useKnownTime } from '../../shared/views/hooks';
import { runLabel, secondText } from '../stores/labels';
import { isWorking } from '../stores/runs';

/** Below an `ApprovalContext`. `facts` replaces time and cost. */
export function RunState(props: { run: Run; facts?: React.ReactNode }): React.ReactElement {
  const { run } = props;
  const { trans } = useApprovals();
  return (
    <>
      <StateMark icon={runLabel(run, trans).icon} />
      <strong>{useStateLabel(run)}</strong>
      {props.facts ?? <RunFacts run={run} />}
    </>
  );
}

function RunFacts({ run }: { run: Run }): React.ReactElement {
  const { connection, run: execute, trans } = useApprovals();
  const now = useKnownTime(connection, isWorking(run));
  return (
    <>
      <span className="jp-Cabinet-run-second">{secondText(run, now, trans)}</span>
      {run.isolated ? (
        <Button
          link
          className="jp-Cabinet-run-second"
          label={trans.__('isolated')}
          title={trans.__('Show what the run could see, change and reach')}
          onClick={() => execute(SHOW_SANDBOX, { run: run.id })}
        />
      ) : (
        isWorking(run) && (
          <span
            className="jp-Cabinet-run-second"
            title={trans.__('No sandbox: the run has the permissions of the server’s user.')}
          >
            {trans.__('not isolated')}
          </span>
        )
      )}
      {run.where && run.where.runner !== 'local' && (
        <span
          className="jp-Cabinet-run-second"
          title={
            run.where.image
              ? trans.__('Where: a container of the image %1', run.where.image)
              : trans.__('Where: worker %1, machine %2', run.where.worker, run.where.machine)
          }
        >
          {run.where.image ? trans.__('in a container') : trans.__('on %1', run.where.worker)}
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
