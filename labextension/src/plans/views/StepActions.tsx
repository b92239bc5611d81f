/**
 * The buttons of a step: what can be done with it in its state.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import * as React from 'react';

import type { PlanStep, PlanView } from '../../api/types';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import type { PlanStore } from '../stores/plan';
import { type StepVerb, verbLabel, verbMeaning, verbsOf } from '../stores/stepActions';
import { usePlans, useWhyNot } from './services';

export function StepActions(props: {
  plan: PlanView;
  step: PlanStep;
  store: PlanStore;
  isBusy: boolean;
  /** Only so many. */
  most?: number;
  tabIndex?: number;
}): React.ReactElement {
  const { isBusy, most, plan, step, store, tabIndex } = props;
  const { trans } = usePlans();
  const { start } = useWhyNot();
  const act = useStepAction(plan, step, store);
  const title = visible(step.title);
  return (
    <>
      {verbsOf(step, plan)
        .slice(0, most)
        .map(verb => {
          const label = verbLabel(verb, trans);
          const meaning = verbMeaning(verb, trans);
          return (
            <Button
              key={verb}
              label={label}
              title={most === undefined ? meaning : trans.__('%1: “%2”', label, title)}
              tabIndex={tabIndex}
              blocked={start}
              busy={isBusy}
              onClick={() => void act(verb)}
            />
          );
        })}
    </>
  );
}

function useStepAction(
  plan: PlanView,
  step: PlanStep,
  store: PlanStore
): (verb: StepVerb) => Promise<unknown> {
  const { plans, trans } = usePlans();
  const change = (ask: Parameters<PlanStore['change']>[0]) => store.change(ask, step.id);
  return async verb => {
    switch (verb) {
      case 'run':
      case 'again':
        return change((routes, id) => routes.runStep(id, step.id, { resume: false }));
      case 'resume':
        return change((routes, id) => routes.runStep(id, step.id, { resume: true }));
      case 'skip':
        return change((routes, id) => routes.skipStep(id, step.id));
      case 'unqueue':
      case 'restore':
        return change((routes, id) => routes.resetStep(id, step.id));
      case 'report':
        return plans.show({ kind: 'report', stepId: step.id });
      case 'edit':
        return plans.show({ kind: 'step', stepId: step.id });
      case 'split':
        return plans.show({ kind: 'split', stepId: step.id });
      case 'remove': {
        const dependents = plan.steps.filter(each => each.depends_on.includes(step.id));
        const { button } = await showDialog({
          title: trans.__('Remove the step “%1”?', visible(step.title)),
          body: dependents.length
            ? trans.__(
                'These steps no longer depend on it: %1',
                visible(dependents.map(each => each.title).join(', '))
              )
            : trans.__('No other step depends on it. Its runs are kept.'),
          buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Remove') })],
          defaultButton: 0
        });
        return button.accept && change((routes, id) => routes.removeStep(id, step.id));
      }
    }
  };
}
