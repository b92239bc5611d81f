/**
 * The way from a run to the plan, and the step of it, that has started the run.
 */
import * as React from 'react';

import type { Run } from '../../api/types';
import { useApprovals } from '../../approvals/views';
import { OPEN_PLAN } from '../../shared/lateCommands';
import { Button } from '../../shared/views/components';

/** Below an `ApprovalContext`. Nothing for a run of no plan. */
export function OpenPlan({ run }: { run: Run }): React.ReactElement | null {
  const { run: execute, trans } = useApprovals();
  const { plan_id: plan, step_id: step } = run;
  return plan === null ? null : (
    <Button
      label={trans.__('Open plan')}
      title={
        step === null
          ? trans.__('Show the plan that started this run')
          : trans.__('Show the step of the plan that started this run')
      }
      onClick={() => execute(OPEN_PLAN, step === null ? { plan } : { plan, step })}
    />
  );
}
