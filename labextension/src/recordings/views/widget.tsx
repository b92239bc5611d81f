/**
 * A recording, or the list of them, as the content of a tab. Loaded lazily.
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import { visible } from '../../shared/untrusted';
import type { LazyTab } from '../../shared/views/lazyTab';
import { RecordingContext, type IRecordingServices } from './services';
import { TerminalContext } from '../../terminal/views';
import { PlayerPane } from './PlayerPane';
import { RecordingList } from './RecordingList';

import '../../../style/shared.css';
import '../../../style/terminal.css';
import '../../../style/recordings.css';

function fill(tab: LazyTab, services: IRecordingServices, content: React.ReactElement): void {
  const { node } = tab.content;
  const focusInside = () => node.querySelector<HTMLElement>('[data-first-focus]')?.focus();
  // The tab may have been activated before there was anything in it.
  const onDrawn = () => void (document.activeElement === node && focusInside());
  const widget = ReactWidget.create(
    <TerminalContext.Provider value={services.terminals}>
      <RecordingContext.Provider value={services}>
        {content}
        <Drawn onDrawn={onDrawn} />
      </RecordingContext.Provider>
    </TerminalContext.Provider>
  );
  widget.addClass('jp-Cabinet-tab-content');
  tab.content.addWidget(widget);
  tab.content.focusInside = focusInside;
}

/** Tells once that what stands before it is there. */
function Drawn({ onDrawn }: { onDrawn: () => void }): null {
  React.useEffect(onDrawn, []);
  return null;
}

export function fillPlayer(tab: LazyTab, id: string, services: IRecordingServices): void {
  const onName = (name: string) => {
    tab.title.label = services.terminals.trans.__('Recording of %1', visible(name));
  };
  fill(tab, services, <PlayerPane recordingId={id} onName={onName} />);
}

export function fillList(tab: LazyTab, services: IRecordingServices): void {
  fill(tab, services, <RecordingList />);
}
