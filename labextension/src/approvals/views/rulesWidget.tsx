/**
 * The approval rules as the content of a tab. Loaded lazily.
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { LazyTab } from '../../shared/views/lazyTab';
import type { RuleStore } from '../stores/rules';
import { RulesPane } from './RulesPane';
import { ApprovalContext, type IApprovalServices } from './services';

import '../../../style/shared.css';
import '../../../style/terminal.css';
import '../../../style/rules.css';

export function fillRules(tab: LazyTab, rules: RuleStore, services: IApprovalServices): void {
  const widget = ReactWidget.create(
    <ApprovalContext.Provider value={services}>
      <RulesPane rules={rules} />
    </ApprovalContext.Provider>
  );
  widget.addClass('jp-Cabinet-tab-content');
  widget.disposed.connect(() => rules.dispose());
  tab.content.addWidget(widget);
  tab.content.focusInside = () =>
    tab.content.node.querySelector<HTMLElement>('[data-first-focus]')?.focus();
}
