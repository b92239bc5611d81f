/**
 * A recording for as long as its player is on the page.
 */
import * as React from 'react';

import { useChanges } from '../../shared/views/hooks';
import type { RecordingStore } from '../stores/recording';
import { useRecordings } from './services';

/** The component is drawn again whenever more of it is known. */
export function useRecording(recordingId: string): RecordingStore {
  const { openRecording } = useRecordings();
  const store = React.useMemo(() => openRecording(recordingId), [openRecording, recordingId]);
  React.useEffect(() => {
    void store.load();
    return () => store.dispose();
  }, [store]);
  useChanges(store.changed);
  return store;
}
