/**
 * The panel of approvals as a Lumino widget. Loaded lazily by its sidebar.
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import type { Widget } from '@lumino/widgets';
import * as React from 'react';

import { ApprovalsPanel } from './ApprovalsPanel';
import { ApprovalContext, type IApprovalServices } from './services';

import '../../../style/shared.css';
import '../../../style/editor.css';
import '../../../style/approvals.css';

export function createApprovalsPanel(services: IApprovalServices): Widget {
  const widget = ReactWidget.create(
    <ApprovalContext.Provider value={services}>
      <ApprovalsPanel />
    </ApprovalContext.Provider>
  );
  widget.addClass('jp-Cabinet-sidebar-content');
  return widget;
}
