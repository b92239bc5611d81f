/**
 * What the tabs of recordings are given. Loaded after the start.
 */
import type { ICabinetServer } from '../shared/tokens';
import type { ITerminalServices } from '../terminal';
import { RecordingStore } from './stores/recording';
import { RecordingListStore } from './stores/recordings';
import type { IRecordingServices } from './views/services';

export function makeRecordings(
  { client, connection, events }: ICabinetServer,
  terminals: ITerminalServices
): IRecordingServices {
  return {
    connection,
    terminals,
    openList: () => new RecordingListStore(client, events),
    openRecording: id => new RecordingStore(client, events, id)
  };
}
