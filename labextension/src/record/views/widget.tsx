/**
 * The record as the content of a tab. Loaded lazily.
 */
import * as React from 'react';

import { ApprovalContext } from '../../approvals/views';
import { fillTab } from '../../shared/views/fillTab';
import type { LazyTab } from '../../shared/views/lazyTab';
import { RecordPane } from './RecordPane';
import { RecordContext, type IRecordServices } from './services';

import '../../../style/shared.css';
import '../../../style/session.css';
import '../../../style/changes.css';
import '../../../style/record.css';

export function fillRecord(tab: LazyTab, services: IRecordServices): void {
  const widget = fillTab(
    tab,
    <RecordContext.Provider value={services}>
      <ApprovalContext.Provider value={services.approvals}>
        <RecordPane />
      </ApprovalContext.Provider>
    </RecordContext.Provider>
  );
  widget.disposed.connect(() => services.record.dispose());
}
