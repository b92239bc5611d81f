/**
 * What the tabs of recordings are given.
 */
import * as React from 'react';

import type { ConnectionStore } from '../../shared/connection';
import type { ITerminalServices } from '../../terminal';
import type { RecordingStore } from '../stores/recording';
import type { RecordingListStore } from '../stores/recordings';

/** Made once for a page, by the recordings’ plugin. */
export interface IRecordingServices {
  connection: ConnectionStore;
  /** A recording is drawn on the same screen as a live terminal. */
  terminals: ITerminalServices;
  /** The list, kept up until it is disposed of. */
  openList: () => RecordingListStore;
  /** One recording, kept up until it is disposed of. */
  openRecording: (id: string) => RecordingStore;
}

export const RecordingContext = React.createContext<IRecordingServices | null>(null);

/** Only below a `RecordingContext`. */
export function useRecordings(): IRecordingServices {
  return React.useContext(RecordingContext)!;
}
