/**
 * That a step was done elsewhere.
 */
import * as React from 'react';

import { AreaField } from '../../shared/views/fields';
import type { PlanStore } from '../stores/plan';
import { SendDialog, useDraft } from './SendDialog';
import { usePlans } from './services';

export function ReportDialog(props: { store: PlanStore; stepId: string }): React.ReactElement {
  const { stepId, store: plan } = props;
  const { plans, trans } = usePlans();
  const store = useDraft(() => ({ summary: '' }));
  const { draft, wrong } = store;
  return (
    <SendDialog
      label={trans.__('Report “%1” as done', plan.titleOf(stepId))}
      button={trans.__('Report as done')}
      store={store}
      right="start"
      isReady
      send={async ({ summary }) =>
        plan.takeChange(
          await plans.routes.report(plan.id, stepId, { status: 'done', summary: summary.trim() })
        )
      }
    >
      <AreaField
        autoFocus
        label={trans.__('Summary')}
        hint={trans.__('What was done and decided. The steps that depend on it receive this text.')}
        value={draft.summary}
        wrong={wrong.summary}
        onChange={summary => store.write({ summary })}
      />
    </SendDialog>
  );
}
