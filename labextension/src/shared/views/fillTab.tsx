/**
 * React content of a lazy tab, with the focus inside as soon as it is drawn.
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { LazyTab } from './lazyTab';

/** The element with `data-first-focus` gets the focus when the tab is activated. */
export function fillTab(tab: LazyTab, content: React.ReactElement): ReactWidget {
  const { node } = tab.content;
  const focusInside = () => node.querySelector<HTMLElement>('[data-first-focus]')?.focus();
  // The tab may have been activated before there was anything in it.
  const onDrawn = () => void (document.activeElement === node && focusInside());
  const widget = ReactWidget.create(
    <>
      {content}
      <Drawn onDrawn={onDrawn} />
    </>
  );
  widget.addClass('jp-Cabinet-tab-content');
  tab.content.addWidget(widget);
  tab.content.focusInside = focusInside;
  return widget;
}

/** Calls back once, when its earlier siblings are in the page. */
function Drawn({ onDrawn }: { onDrawn: () => void }): null {
  React.useEffect(onDrawn, []);
  return null;
}
