/**
 * A recording, or the list of them, as the content of a tab. Loaded lazily.
 */
import * as React from 'react';

import { visible } from '../../shared/untrusted';
import { fillTab } from '../../shared/views/fillTab';
import type { LazyTab } from '../../shared/views/lazyTab';
import { RecordingContext, type IRecordingServices } from './services';
import { TerminalContext } from '../../terminal/views';
import { PlayerPane } from './PlayerPane';
import { RecordingList } from './RecordingList';

import '../../../style/shared.css';
import '../../../style/terminal.css';
import '../../../style/recordings.css';

function fill(tab: LazyTab, services: IRecordingServices, content: React.ReactElement): void {
  fillTab(
    tab,
    <TerminalContext.Provider value={services.terminals}>
      <RecordingContext.Provider value={services}>{content}</RecordingContext.Provider>
    </TerminalContext.Provider>
  );
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
