/**
 * The activity as the content of a tab. Loaded lazily.
 */
import * as React from 'react';

import { ApprovalContext } from '../../approvals/views';
import { fillTab } from '../../shared/views/fillTab';
import type { LazyTab } from '../../shared/views/lazyTab';
import { ActivityPane } from './ActivityPane';
import { ActivityContext, type IActivityServices } from './services';

import '../../../style/shared.css';
import '../../../style/session.css';
import '../../../style/changes.css';
import '../../../style/activity.css';

export function fillActivity(tab: LazyTab, services: IActivityServices): void {
  const widget = fillTab(
    tab,
    <ActivityContext.Provider value={services}>
      <ApprovalContext.Provider value={services.approvals}>
        <ActivityPane />
      </ApprovalContext.Provider>
    </ActivityContext.Provider>
  );
  widget.disposed.connect(() => services.activity.dispose());
}
