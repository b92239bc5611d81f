/**
 * The runs of a step: the one that is underway, as it comes, with what it asks; and those before.
 */
import { stopIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PlanStep, Run, StepRun } from '../../api/types';
import { Asking, useApprovals } from '../../approvals/views';
import { isFinal } from '../../runs';
import { EventsPane, RunState } from '../../runs/views';
import { Commands } from '../../shared/commands';
import { reasonText } from '../../shared/liveStore';
import { fullTime, when } from '../../shared/time';
import { Button, StateMark } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Problem } from '../../shared/views/Problem';
import { executionLabel, phaseLabel, stepRunLabel, stopMeaning } from '../stores/labels';
import { usePlans, useWhyNot } from './services';

/** What it says as it comes, its approval requests in place, and *Stop*. */
export function CurrentRun(props: {
  runId: string;
  phase: StepRun['phase'] | null;
  mayStop: boolean;
}): React.ReactElement {
  const { mayStop, phase, runId } = props;
  const { connection, outputs, rendermime, runs, trans } = usePlans();
  useChanges(runs.changed, connection.changed);
  const [problem, setProblem] = React.useState<string | null>(null);
  const { online } = connection;
  React.useEffect(() => {
    setProblem(null);
    runs.find(runId).catch((reason: unknown) => setProblem(reasonText(reason)));
  }, [runId, online]);
  const run = runs.get(runId);
  return (
    <section className="jp-Cabinet-plan-run" aria-label={trans.__('Current run')}>
      {problem !== null && <Problem trans={trans} text={problem} />}
      {run ? (
        <>
          <div className="jp-Cabinet-pane-line">
            <RunState run={run} />
            <span className="jp-Cabinet-spring" />
            {!isFinal(run) && <Watch run={run} />}
            {mayStop && (
              <StopButton run={run} title={stopMeaning(phase, trans)} onRefused={setProblem} />
            )}
          </div>
          <Asking run={run} onAnswer={null} />
          <div className="jp-Cabinet-plan-live">
            <EventsPane run={run} outputs={outputs} rendermime={rendermime} />
          </div>
        </>
      ) : (
        problem === null && <Loading label={trans.__('Loading the run')} />
      )}
    </section>
  );
}

/** Where all that it prints can be seen. */
function Watch({ run }: { run: Run }): React.ReactElement {
  const { run: execute, trans } = usePlans();
  const { showOutput } = useApprovals();
  const { id, terminal_id: terminal } = run;
  return (
    <>
      {terminal !== null && (
        <Button
          label={trans.__('Open terminal')}
          onClick={() => execute(Commands.openTerminal, { id: terminal })}
        />
      )}
      <Button
        label={trans.__('Show output')}
        title={trans.__('Show all that the run prints, as it comes')}
        onClick={() => void showOutput(id)}
      />
    </>
  );
}

function StopButton(props: {
  run: Run;
  title: string;
  onRefused: (text: string) => void;
}): React.ReactElement {
  const { onRefused, run, title } = props;
  const { runs, trans } = usePlans();
  const { start } = useWhyNot();
  return (
    <Button
      icon={stopIcon}
      label={trans.__('Stop')}
      title={title}
      blocked={start}
      onClick={() => {
        runs.cancel(run.id).catch((reason: unknown) => onRefused(reasonText(reason)));
      }}
    />
  );
}

/** Newest first. Each opens where it belongs. */
export function RunRows({ step }: { step: PlanStep }): React.ReactElement {
  const { trans } = usePlans();
  return (
    <ul className="jp-Cabinet-plain-list jp-Cabinet-plan-runs" aria-label={trans.__('Runs')}>
      {[...step.runs].reverse().map(run => (
        <RunRow key={run.run_id} run={run} />
      ))}
    </ul>
  );
}

function RunRow({ run }: { run: StepRun }): React.ReactElement {
  const { showRun, trans } = usePlans();
  const { icon, label } = stepRunLabel(run, trans);
  const name = [phaseLabel(run.phase, trans), executionLabel(run.execution, trans)]
    .filter(Boolean)
    .join(', ');
  return (
    <li>
      <StateMark icon={icon} />
      <span>{name}</span>
      <span className="jp-Cabinet-quiet">{label}</span>
      <span className="jp-Cabinet-spring" />
      <span className="jp-Cabinet-quiet" title={fullTime(run.at)}>
        {when(run.at, new Date(), trans)}
      </span>
      <Button
        label={trans.__('Open run')}
        title={trans.__('Show the run: %1', name)}
        onClick={() => void showRun(run.run_id)}
      />
    </li>
  );
}
