/**
 * The plays as the content of a tab. Loaded lazily.
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { RunStore, WorkSwitchStore } from '../../../runs';
import type { LazyTab } from '../../../shared/views/lazyTab';
import type { PlaysStore } from '../../stores/plays/board';
import { AgentContext, type IAgentServices } from '../services';
import { PlaysBoard } from './PlaysBoard';
import { type IPlayServices, PlayContext } from './services';

import '../../../../style/shared.css';
import '../../../../style/terminal.css';
import '../../../../style/agents.css';
import '../../../../style/board.css';
import '../../../../style/agentPage.css';
import '../../../../style/plays.css';

export function fillPlays(
  tab: LazyTab,
  services: IAgentServices & IPlayServices,
  parts: { plays: PlaysStore; runs: RunStore; workSwitch: WorkSwitchStore }
): void {
  const { node } = tab.content;
  const focusInside = () => node.querySelector<HTMLElement>('[data-first-focus]')?.focus();
  const widget = ReactWidget.create(
    <AgentContext.Provider value={services}>
      <PlayContext.Provider value={services}>
        <PlaysBoard {...parts} />
      </PlayContext.Provider>
    </AgentContext.Provider>
  );
  widget.addClass('jp-Cabinet-tab-content');
  tab.content.addWidget(widget);
  tab.content.focusInside = focusInside;
}
