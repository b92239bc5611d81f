/**
 * The list of agents as the content of a tab and of a sidebar. Loaded lazily.
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import type { Widget } from '@lumino/widgets';
import * as React from 'react';

import type { LazyTab } from '../../../shared/views/lazyTab';
import { AgentContext } from '../services';
import { AgentList } from './AgentList';
import { AgentsBoard } from './AgentsBoard';
import { BoardContext, type IBoardServices } from './services';

import '../../../../style/shared.css';
import '../../../../style/terminal.css';
import '../../../../style/agents.css';
import '../../../../style/board.css';

function draw(services: IBoardServices, content: React.ReactElement): ReactWidget {
  return ReactWidget.create(
    <AgentContext.Provider value={services}>
      <BoardContext.Provider value={services}>{content}</BoardContext.Provider>
    </AgentContext.Provider>
  );
}

export function fillBoard(tab: LazyTab, services: IBoardServices): void {
  const { node } = tab.content;
  const focusInside = () => node.querySelector<HTMLElement>('[data-first-focus]')?.focus();
  // The tab may have been activated before there was anything in it.
  const onDrawn = () => void (document.activeElement === node && focusInside());
  const widget = draw(
    services,
    <>
      <AgentsBoard />
      <Drawn onDrawn={onDrawn} />
    </>
  );
  widget.addClass('jp-Cabinet-tab-content');
  tab.content.addWidget(widget);
  tab.content.focusInside = focusInside;
}

/** Reports once that the element before it is there. */
function Drawn({ onDrawn }: { onDrawn: () => void }): null {
  React.useEffect(onDrawn, []);
  return null;
}

export function makeList(services: IBoardServices): Widget {
  const widget = draw(services, <AgentList />);
  widget.addClass('jp-Cabinet-agent-list-content');
  return widget;
}
