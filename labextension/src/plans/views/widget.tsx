/**
 * The plans as the content of a tab.
 */
import * as React from 'react';

import { ApprovalContext } from '../../approvals/views';
import { fillTab } from '../../shared/views/fillTab';
import type { LazyTab } from '../../shared/views/lazyTab';
import { PlansPane } from './PlansPane';
import { PlanContext, type IPlanServices } from './services';

import '../../../style/shared.css';
import '../../../style/session.css';
import '../../../style/approvals.css';
import '../../../style/pane.css';
import '../../../style/plans.css';

export function drawPlans(tab: LazyTab, services: IPlanServices): void {
  const widget = fillTab(
    tab,
    <PlanContext.Provider value={services}>
      <ApprovalContext.Provider value={services.approvals}>
        <PlansPane />
      </ApprovalContext.Provider>
    </PlanContext.Provider>
  );
  widget.disposed.connect(() => services.plans.dispose());
}
