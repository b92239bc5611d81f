/**
 * The steps of a plan, one tab stop: arrows move, Enter opens a step, Tab leads to what can be done with it.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PlanStep, PlanView } from '../../api/types';
import { cost } from '../../runs';
import { Button, Card } from '../../shared/views/components';
import { useSeen } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Untrusted } from '../../shared/views/Untrusted';
import { useArrows } from '../../shared/views/useArrows';
import { stepLabel, stepReason, stepStateText } from '../stores/labels';
import type { PlanStore } from '../stores/plan';
import { PlanMark } from './parts';
import { usePlans, useWhyNot } from './services';
import { StepActions } from './StepActions';

/** The graph needs a library, so it is loaded when it is first shown. */
const PlanGraph = React.lazy(() =>
  import(/* webpackChunkName: "plan-graph" */ './PlanGraph').then(made => ({
    default: made.PlanGraph
  }))
);

interface IListProps {
  plan: PlanView;
  store: PlanStore;
}

export function StepList({ plan, store }: IListProps): React.ReactElement {
  const { plans, trans } = usePlans();
  const { isGraphShown } = plans;
  const { steps } = plan;
  const list = React.useRef<HTMLOListElement>(null);
  const arrows = useArrows(list, '.jp-Cabinet-plan-step-main', steps.length);
  return (
    <>
      <div className="jp-Cabinet-plan-steps-head">
        <h3>{trans.__('Steps')}</h3>
        <span className="jp-Cabinet-spring" />
        {steps.length > 0 && (
          <Button
            label={isGraphShown ? trans.__('Hide the graph') : trans.__('Show the graph')}
            expanded={isGraphShown}
            onClick={() => plans.showGraph(!isGraphShown)}
          />
        )}
        {plan.may_change && <AddButton />}
      </div>
      {isGraphShown && steps.length > 0 && (
        <div className="jp-Cabinet-plan-canvas">
          <React.Suspense fallback={<Loading label={trans.__('Loading the graph')} />}>
            <PlanGraph plan={plan} store={store} />
          </React.Suspense>
        </div>
      )}
      {steps.length === 0 ? (
        <Card title={trans.__('No steps yet')}>
          {plan.may_change
            ? trans.__(
                'Add the first step, or describe the work below, and let an agent write the steps.'
              )
            : trans.__('The steps appear here when they are added.')}
        </Card>
      ) : (
        <ol
          ref={list}
          className="jp-Cabinet-plain-list"
          aria-label={trans.__('Steps')}
          onKeyDown={arrows.onKeyDown}
        >
          {steps.map((step, index) => (
            <StepRow
              key={step.id}
              plan={plan}
              step={step}
              store={store}
              number={index + 1}
              isOpen={step.id === store.stepId}
              isCurrent={index === arrows.current}
              isBusy={store.isBusy(step.id)}
              setCurrent={arrows.setCurrent}
            />
          ))}
        </ol>
      )}
    </>
  );
}

function AddButton(): React.ReactElement {
  const { plans, trans } = usePlans();
  const { change } = useWhyNot();
  return (
    <Button
      icon={addIcon}
      label={trans.__('Add a step')}
      blocked={change}
      onClick={() => plans.show({ kind: 'step', stepId: null })}
    />
  );
}

/** The first two things that can be done are beside it; the page of the step has all. */
const BESIDE = 2;

/** A plan can have 500 steps: those out of sight have no buttons, and a row is drawn again only if the plan or its own state has changed. */
const StepRow = React.memo(function StepRow(props: {
  plan: PlanView;
  step: PlanStep;
  store: PlanStore;
  number: number;
  isOpen: boolean;
  isCurrent: boolean;
  isBusy: boolean;
  setCurrent: (index: number) => void;
}): React.ReactElement {
  const { isBusy, isCurrent, isOpen, number, plan, setCurrent, step, store } = props;
  const { trans } = usePlans();
  const reason = stepReason(step);
  const row = React.useRef<HTMLLIElement>(null);
  const isSeen = useSeen(row);
  React.useEffect(() => {
    if (isOpen) {
      row.current!.scrollIntoView({ block: 'nearest' }); // it was opened elsewhere
    }
  }, [isOpen]);
  return (
    <li ref={row} className="jp-Cabinet-plan-step" data-state={step.state}>
      <button
        type="button"
        className="jp-Cabinet-pane-choice jp-Cabinet-plan-step-main"
        aria-current={isOpen || undefined}
        tabIndex={isCurrent ? 0 : -1}
        onFocus={() => setCurrent(number - 1)}
        onClick={() => store.open(step.id)}
      >
        <PlanMark icon={stepLabel(step, trans).icon} />
        <span className="jp-Cabinet-plan-step-words">
          <span className="jp-Cabinet-plan-step-number jp-Cabinet-quiet">{number}</span>
          <span className="jp-Cabinet-plan-step-state">{stepStateText(step, trans)}</span>
          <Untrusted className="jp-Cabinet-pane-title" text={step.title} />
          <span className="jp-Cabinet-quiet">{cost(step.cost_usd)}</span>
          {reason && <Untrusted className="jp-Cabinet-plan-why" text={reason} />}
          {step.lost.length > 0 && (
            <Untrusted
              className="jp-Cabinet-plan-why"
              text={trans.__('It depended on steps that were removed: %1', step.lost.join(', '))}
            />
          )}
        </span>
      </button>
      {plan.may_change && (isSeen || isCurrent) && (
        <span className="jp-Cabinet-plan-step-actions">
          <StepActions
            plan={plan}
            step={step}
            store={store}
            isBusy={isBusy}
            most={BESIDE}
            tabIndex={isCurrent ? 0 : -1}
          />
        </span>
      )}
    </li>
  );
});
