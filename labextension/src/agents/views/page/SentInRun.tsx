/**
 * In which run an agent has sent a message or given a task, and who or what had started that run.
 */
import * as React from 'react';

import type { Run, Task } from '../../../api/types';
import { startedBy } from '../../../runs';
import { Commands } from '../../../shared/commands';
import { visible } from '../../../shared/untrusted';
import { Button } from '../../../shared/views/components';
import { runIdIn } from '../../stores/page/sentInRun';
import { usePage } from './services';

/** Nothing for a message of a person, and where the run is not this person's to see. */
export function SentInRun({ origin }: { origin: string }): React.ReactElement | null {
  const { connection, trans } = usePage();
  const run = useRunIn(origin);
  return run ? (
    <p className="jp-Cabinet-quiet">
      {trans.__(
        'Sent in run %1, started %2.',
        run.number,
        visible(startedBy(run, connection.username, trans))
      )}
    </p>
  ) : null;
}

/** Leads to the run in which another agent has given a task. Nothing for a task of a person. */
export function GivenInRun({ task }: { task: Task }): React.ReactElement | null {
  const { run: execute, trans } = usePage();
  const run = useRunIn(task.key);
  const agent = run?.agent;
  return run && agent ? (
    <Button
      link
      label={trans.__('Run %1', run.number)}
      title={trans.__('Show the run that gave this task')}
      onClick={() => execute(Commands.openAgent, { agent, tab: 'history', run: run.id })}
    />
  ) : null;
}

/** The run of a directive, once it is read; null if it does not exist, or this person may not see it. */
function useRunIn(origin: string): Run | null {
  const { page } = usePage();
  const id = runIdIn(origin);
  const [run, setRun] = React.useState<Run | null>(null);
  React.useEffect(() => {
    let isShown = true;
    setRun(null);
    if (id !== null) {
      const show = (found: Run | null) => void (isShown && setRun(found));
      page.runs.read(id).then(show, () => show(null));
    }
    return () => {
      isShown = false;
    };
  }, [id, page]);
  return run;
}
