/**
 * The form that a person has opened over the tab.
 */
import * as React from 'react';

import { ChecklistDialog } from './ChecklistDialog';
import { ImportDialog } from './ImportDialog';
import { PlanDialog } from './PlanDialog';
import { ReportDialog } from './ReportDialog';
import { usePlans } from './services';
import { SplitDialog } from './SplitDialog';
import { StepDialog } from './StepDialog';

export function Forms(): React.ReactElement | null {
  const { plans } = usePlans();
  const { form, open } = plans;
  const plan = open?.plan;
  switch (form?.kind) {
    case 'plan':
      return <PlanDialog plan={form.plan} checklist={form.checklist} />;
    case 'import':
      return <ImportDialog />;
    case 'checklist':
      return open && plan?.checklist ? (
        <ChecklistDialog store={open} path={plan.checklist.path} />
      ) : null;
    case 'step':
      return plan ? <StepDialog plan={plan} store={open} stepId={form.stepId} /> : null;
    case 'report':
      return plan ? <ReportDialog store={open} stepId={form.stepId} /> : null;
    case 'split':
      return plan ? <SplitDialog store={open} stepId={form.stepId} /> : null;
    default:
      return null;
  }
}
