/**
 * One plan: what it is, how far it is, its steps, and the step that is shown.
 */
import * as React from 'react';

import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Button, Card } from '../../shared/views/components';
import { Problem } from '../../shared/views/Problem';
import { planLabel } from '../stores/labels';
import type { PlanStore } from '../stores/plan';
import { BreakdownForm } from './BreakdownForm';
import { PlanHead } from './PlanHead';
import { usePlans } from './services';
import { Proposals } from './Proposals';
import { StepList } from './StepList';
import { StepPage } from './StepPage';

export function PlanPage({ store }: { store: PlanStore }): React.ReactElement {
  const { plans, trans } = usePlans();
  useChanges(store.changed, plans.changed);
  useStateAnnounced(store);
  const { isGone, plan, problem, refusal, step } = store;
  return (
    <>
      <section
        className={`jp-Cabinet-pane-page ${step ? 'jp-mod-step' : ''}`.trim()}
        aria-label={trans.__('Plan')}
        tabIndex={-1}
      >
        {problem !== null && (
          <Problem
            trans={trans}
            text={problem}
            action={<Button label={trans.__('Reload')} onClick={() => void store.load()} />}
          />
        )}
        {refusal !== null && (
          <Problem trans={trans} text={refusal} onDismiss={() => store.dismissRefusal()} />
        )}
        {store.isStepGone && (
          <Problem
            trans={trans}
            text={trans.__('This step is no longer part of the plan.')}
            onDismiss={() => store.dismissRefusal()}
          />
        )}
        {isGone ? (
          <Card
            title={trans.__('This plan is not available')}
            actions={
              <Button label={trans.__('Show all plans')} onClick={() => plans.choose(null)} />
            }
          >
            {trans.__('It was deleted, or you do not have permission to view it.')}
          </Card>
        ) : plan ? (
          <>
            <PlanHead plan={plan} store={store} />
            <div className="jp-Cabinet-pane-scroll">
              <Proposals plan={plan} store={store} />
              <StepList plan={plan} store={store} />
              {plan.may_change && <BreakdownForm plan={plan} store={store} />}
            </div>
          </>
        ) : (
          problem === null && <Loading label={trans.__('Loading the plan')} />
        )}
      </section>
      {!isGone && plan && step && <StepPage key={step.id} plan={plan} step={step} store={store} />}
    </>
  );
}

/** "Tidy the data: Done". */
function useStateAnnounced({ plan }: PlanStore): void {
  const { announce, trans } = usePlans();
  const state = plan?.state ?? null;
  const before = React.useRef(state);
  React.useEffect(() => {
    if (plan && before.current !== null && before.current !== state) {
      announce(trans.__('%1: %2', plan.title, planLabel(plan.state, trans).label));
    }
    before.current = state;
  }, [state]);
}
