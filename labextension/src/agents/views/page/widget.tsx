/**
 * The page of an agent as the content of a tab. Loaded lazily.
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import { ApprovalContext } from '../../../approvals/views';
import { visible } from '../../../shared/untrusted';
import type { LazyTab } from '../../../shared/views/lazyTab';
import { AgentContext } from '../services';
import { Page } from './Page';
import { PageContext, type IPageServices } from './services';

import '../../../../style/shared.css';
import '../../../../style/session.css';
import '../../../../style/terminal.css';
import '../../../../style/agents.css';
import '../../../../style/agentPage.css';
import '../../../../style/plays.css';

export function fillPage(tab: LazyTab, services: IPageServices): void {
  const { node } = tab.content;
  const focusInside = () => node.querySelector<HTMLElement>('[role=tab][tabindex="0"]')?.focus();
  const onName = (name: string) => {
    tab.title.label = visible(name);
    // The tab may have been activated before there was anything in it.
    if (document.activeElement === node) {
      focusInside();
    }
  };
  const widget = ReactWidget.create(
    <PageContext.Provider value={services}>
      <AgentContext.Provider value={services}>
        <ApprovalContext.Provider value={services.approvals}>
          <Page onName={onName} />
        </ApprovalContext.Provider>
      </AgentContext.Provider>
    </PageContext.Provider>
  );
  widget.addClass('jp-Cabinet-tab-content');
  tab.content.addWidget(widget);
  tab.content.focusInside = focusInside;
  tab.content.follow = args => services.place.follow(args);
}
