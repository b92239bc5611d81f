/**
 * The record as the content of a tab. Loaded lazily.
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import { ApprovalContext } from '../../approvals/views';
import type { LazyTab } from '../../shared/views/lazyTab';
import { RecordPane } from './RecordPane';
import { RecordContext, type IRecordServices } from './services';

import '../../../style/shared.css';
import '../../../style/session.css';
import '../../../style/changes.css';
import '../../../style/record.css';

export function fillRecord(tab: LazyTab, services: IRecordServices): void {
  const widget = ReactWidget.create(
    <RecordContext.Provider value={services}>
      <ApprovalContext.Provider value={services.approvals}>
        <RecordPane />
      </ApprovalContext.Provider>
    </RecordContext.Provider>
  );
  widget.addClass('jp-Cabinet-tab-content');
  widget.disposed.connect(() => services.record.dispose());
  tab.content.addWidget(widget);
  tab.content.focusInside = () =>
    tab.content.node.querySelector<HTMLElement>('[data-first-focus]')?.focus();
}
