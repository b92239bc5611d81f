/**
 * One step: its instruction, what it waits for or how it ended, its runs, and what it has received and left.
 */
import * as React from 'react';

import type { PlanArtifact, PlanStep, PlanView } from '../../api/types';
import { cost } from '../../runs';
import { Answer } from '../../runs/views';
import { Commands } from '../../shared/commands';
import { Button } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { stepLabel, stepReason, stepStateText } from '../stores/labels';
import type { PlanStore } from '../stores/plan';
import { PlanMark } from './parts';
import { usePlans } from './services';
import { StepActions } from './StepActions';
import { CurrentRun, RunRows } from './StepRuns';

interface IStepProps {
  plan: PlanView;
  step: PlanStep;
  store: PlanStore;
}

export function StepPage({ plan, step, store }: IStepProps): React.ReactElement {
  const { trans } = usePlans();
  const page = React.useRef<HTMLElement>(null);
  React.useEffect(() => {
    // In a narrow tab it takes the place of the list, and of what had the focus there.
    if (!(document.activeElement as HTMLElement | null)?.checkVisibility()) {
      page.current!.focus();
    }
  }, []);
  return (
    <section
      ref={page}
      className="jp-Cabinet-plan-step-page"
      aria-label={trans.__('Step')}
      tabIndex={-1}
    >
      <StepHead plan={plan} step={step} store={store} />
      <div className="jp-Cabinet-pane-scroll jp-Cabinet-plan-step-body">
        {step.run_id !== null && (
          <CurrentRun
            key={step.run_id}
            runId={step.run_id}
            phase={step.phase}
            mayStop={plan.may_change}
          />
        )}
        <Instruction plan={plan} step={step} store={store} />
        <Result plan={plan} step={step} store={store} />
        {step.runs.length > 0 && (
          <Part title={trans.__('Runs')}>
            <RunRows step={step} />
          </Part>
        )}
      </div>
    </section>
  );
}

function StepHead({ plan, step, store }: IStepProps): React.ReactElement {
  const { run, trans } = usePlans();
  const reason = stepReason(step);
  const { changed_files: changed, work_run_id: worked } = step;
  return (
    <header className="jp-Cabinet-pane-head">
      <Button link label={trans.__('Close the step')} onClick={() => store.open(null)} />
      <h2>
        <Untrusted text={step.title} />
      </h2>
      <p className="jp-Cabinet-pane-line">
        <PlanMark icon={stepLabel(step, trans).icon} />
        <strong>{stepStateText(step, trans)}</strong>
        {reason && <Untrusted text={reason} />}
        <span className="jp-Cabinet-quiet">{cost(step.cost_usd)}</span>
      </p>
      {step.commit && (
        <p className="jp-Cabinet-pane-line">
          <Untrusted text={step.commit} />
        </p>
      )}
      <div className="jp-Cabinet-pane-actions">
        {changed !== null && changed > 0 && worked !== null && (
          <Button
            label={trans._n('Review %1 file', 'Review %1 files', changed)}
            onClick={() => run(Commands.review, { run: worked })}
          />
        )}
        {plan.may_change && (
          <StepActions plan={plan} step={step} store={store} isBusy={store.isBusy(step.id)} />
        )}
      </div>
    </header>
  );
}

function Instruction({ step, store }: IStepProps): React.ReactElement {
  const { rendermime, trans } = usePlans();
  const { command, depends_on, description, prompt, verify } = step;
  const receives = store.detail?.receives ?? [];
  return (
    <>
      {description && (
        <Untrusted
          block
          className="jp-Cabinet-plan-text"
          text={description}
          markdown={rendermime}
        />
      )}
      {prompt && (
        <Part title={trans.__('Instruction')}>
          <Untrusted block className="jp-Cabinet-plan-text" text={prompt} />
        </Part>
      )}
      {command.length > 0 && (
        <Part title={trans.__('Command')}>
          <Arguments words={command} />
        </Part>
      )}
      {verify.length > 0 && (
        <Part title={trans.__('Verify command')}>
          <Arguments words={verify} />
        </Part>
      )}
      {depends_on.length > 0 && (
        <Part title={trans.__('Depends on')}>
          <ul className="jp-Cabinet-plain-list jp-Cabinet-plan-links">
            {depends_on.map(id => {
              const received = receives.find(({ step_id }) => step_id === id);
              return (
                <li key={id}>
                  <Button link label={store.titleOf(id) || id} onClick={() => store.open(id)} />
                  {received && (
                    <details className="jp-Cabinet-plan-handoff">
                      <summary>{trans.__('Handoff received')}</summary>
                      <Untrusted block className="jp-Cabinet-plan-text" text={received.text} />
                    </details>
                  )}
                </li>
              );
            })}
          </ul>
        </Part>
      )}
    </>
  );
}

/** What its last run has said, and what it has left. */
function Result({ step, store }: IStepProps): React.ReactElement {
  const { rendermime, trans } = usePlans();
  const artifacts = store.detail?.artifacts ?? [];
  const isProgram = step.command.length > 0;
  const titles: Record<PlanArtifact['kind'], string> = {
    handoff: trans.__('Handoff'),
    test_report: trans.__('Test report'),
    commit: trans.__('Output of git')
  };
  return (
    <>
      {step.answer.trim() && (
        <Part title={isProgram ? trans.__('Output') : trans.__('Answer')}>
          {isProgram ? (
            <Untrusted block className="jp-Cabinet-plan-text jp-Cabinet-code" text={step.answer} />
          ) : (
            <Answer text={step.answer} rendermime={rendermime} />
          )}
        </Part>
      )}
      {(Object.keys(titles) as PlanArtifact['kind'][]).map(kind => {
        const [newest, ...older] = artifacts.filter(each => each.kind === kind);
        return (
          newest && (
            <Part key={kind} title={titles[kind]}>
              <ArtifactText artifact={newest} />
              {older.length > 0 && (
                <details className="jp-Cabinet-plan-handoff">
                  <summary>{trans._n('%1 earlier', '%1 earlier', older.length)}</summary>
                  {older.map(each => (
                    <ArtifactText key={each.id} artifact={each} />
                  ))}
                </details>
              )}
            </Part>
          )
        );
      })}
    </>
  );
}

function ArtifactText({ artifact }: { artifact: PlanArtifact }): React.ReactElement {
  const isOutput = artifact.kind !== 'handoff';
  return (
    <Untrusted
      block
      className={`jp-Cabinet-plan-text ${isOutput ? 'jp-Cabinet-code' : ''}`.trim()}
      text={artifact.text}
    />
  );
}

export function Part(props: { title: string; children: React.ReactNode }): React.ReactElement {
  return (
    <section className="jp-Cabinet-plan-part">
      <h3>{props.title}</h3>
      {props.children}
    </section>
  );
}

/** As the server starts it: each argument in its own box, so that blanks cannot be mistaken. */
function Arguments({ words }: { words: readonly string[] }): React.ReactElement {
  return (
    <p className="jp-Cabinet-plan-arguments">
      {words.map((word, index) => (
        <code key={index}>
          <Untrusted text={word} />
        </code>
      ))}
    </p>
  );
}
