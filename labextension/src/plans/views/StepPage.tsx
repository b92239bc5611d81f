/**
 * One step: its instruction, what it waits for or how it ended, and what can be done with it.
 */
import * as React from 'react';

import type { PlanStep, PlanView } from '../../api/types';
import { cost } from '../../runs';
import { Button } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { stepLabel, stepReason, stepStateText } from '../stores/labels';
import type { PlanStore } from '../stores/plan';
import { PlanMark } from './parts';
import { usePlans } from './services';
import { StepActions } from './StepActions';

interface IStepProps {
  plan: PlanView;
  step: PlanStep;
  store: PlanStore;
}

export function StepPage({ plan, step, store }: IStepProps): React.ReactElement {
  const { trans } = usePlans();
  return (
    <section className="jp-Cabinet-plan-step-page" aria-label={trans.__('Step')}>
      <StepHead plan={plan} step={step} store={store} />
      <div className="jp-Cabinet-plan-step-body">
        <Instruction plan={plan} step={step} store={store} />
      </div>
    </section>
  );
}

function StepHead({ plan, step, store }: IStepProps): React.ReactElement {
  const { trans } = usePlans();
  const reason = stepReason(step);
  return (
    <header className="jp-Cabinet-plan-head">
      <Button link label={trans.__('Close the step')} onClick={() => store.open(null)} />
      <h2>
        <Untrusted text={step.title} />
      </h2>
      <p className="jp-Cabinet-plan-state">
        <PlanMark icon={stepLabel(step.state, trans).icon} />
        <strong>{stepStateText(step, trans)}</strong>
        {reason && <Untrusted text={reason} />}
        <span className="jp-Cabinet-quiet">{cost(step.cost_usd)}</span>
      </p>
      {plan.may_change && (
        <div className="jp-Cabinet-plan-actions">
          <StepActions plan={plan} step={step} store={store} />
        </div>
      )}
    </header>
  );
}

function Instruction({ step, store }: IStepProps): React.ReactElement {
  const { rendermime, trans } = usePlans();
  const { command, depends_on, description, prompt, verify } = step;
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
          <ul className="jp-Cabinet-plan-links">
            {depends_on.map(id => (
              <li key={id}>
                <Button link label={store.titleOf(id) || id} onClick={() => store.open(id)} />
              </li>
            ))}
          </ul>
        </Part>
      )}
    </>
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
