/**
 * The past sessions as the content of a tab.
 */
import * as React from 'react';

import { ApprovalContext } from '../../approvals/views';
import { fillTab } from '../../shared/views/fillTab';
import type { LazyTab } from '../../shared/views/lazyTab';
import { PastSessionContext, type IPastSessionServices } from './services';
import { SessionsPane } from './SessionsPane';

import '../../../style/shared.css';
import '../../../style/session.css';
import '../../../style/pane.css';
import '../../../style/pastSessions.css';

export function drawPastSessions(tab: LazyTab, services: IPastSessionServices): void {
  const widget = fillTab(
    tab,
    <PastSessionContext.Provider value={services}>
      <ApprovalContext.Provider value={services.approvals}>
        <SessionsPane />
      </ApprovalContext.Provider>
    </PastSessionContext.Provider>
  );
  widget.disposed.connect(() => services.sessions.dispose());
}
