/**
 * A shared terminal in a tab. Loaded lazily.
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import { visible } from '../../shared/untrusted';
import type { LazyTab } from '../../shared/views/lazyTab';
import type { TerminalActions } from './actions';
import { TerminalContext, type ITerminalServices } from './services';
import { TerminalPane } from './TerminalPane';

import '../../../style/shared.css';
import '../../../style/terminal.css';

/** `isRestored`: nobody asked for the tab. It goes where its terminal is gone. */
export async function fillTerminal(
  tab: LazyTab,
  id: string,
  services: ITerminalServices,
  isRestored: boolean
): Promise<void> {
  if (isRestored && (await services.list.isGone(id))) {
    tab.dispose();
    return;
  }
  const widget = ReactWidget.create(
    <TerminalContext.Provider value={services}>
      <TerminalPane terminalId={id} text={null} onReady={actions => follow(tab, actions)} />
    </TerminalContext.Provider>
  );
  widget.addClass('jp-Cabinet-tab-content');
  tab.content.addWidget(widget);
}

/** The tab has the terminal's name, and gives it the focus. */
function follow(tab: LazyTab, actions: TerminalActions): void {
  const { view } = actions;
  const store = actions.store!;
  const name = () => {
    const { name, title, cwd } = store.state;
    if (name) {
      tab.title.label = visible(name);
      tab.title.caption = [name, title, cwd ?? ''].filter(Boolean).map(visible).join('\n');
    }
  };
  store.changed.connect(name);
  tab.content.focusInside = () => view.focus();
  if (
    tab.content.node.contains(document.activeElement) ||
    tab.node.contains(document.activeElement)
  ) {
    view.focus();
  }
}
