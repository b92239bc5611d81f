/**
 * The approval rules as the content of a tab. Loaded lazily.
 */
import * as React from 'react';

import { fillTab } from '../../shared/views/fillTab';
import type { LazyTab } from '../../shared/views/lazyTab';
import type { RuleStore } from '../stores/rules';
import { RulesPane } from './RulesPane';
import { ApprovalContext, type IApprovalServices } from './services';

import '../../../style/shared.css';
import '../../../style/terminal.css';
import '../../../style/rules.css';

export function fillRules(tab: LazyTab, rules: RuleStore, services: IApprovalServices): void {
  const widget = fillTab(
    tab,
    <ApprovalContext.Provider value={services}>
      <RulesPane rules={rules} />
    </ApprovalContext.Provider>
  );
  widget.disposed.connect(() => rules.dispose());
}
