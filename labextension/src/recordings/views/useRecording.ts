/**
 * A recording's parts, read one after the other: the first can be played while the others come.
 */
import * as React from 'react';

import type { Recording } from '../../api/types';
import { EMPTY_TIMELINE, withPart, type ITimeline } from '../stores/asciicast';
import { useTerminals } from '../../terminal/views/services';

export interface ILoading {
  recording: Recording | null;
  timeline: ITimeline;
  isLoading: boolean;
  problem: string | null;
  /** Read what has been recorded since. */
  refresh: () => void;
}

export function useRecording(recordingId: string): ILoading {
  const { cabinet, list } = useTerminals();
  const [round, bump] = React.useReducer((count: number) => count + 1, 0);
  const [loaded, setLoaded] = React.useState<Omit<ILoading, 'refresh'>>({
    recording: null,
    timeline: EMPTY_TIMELINE,
    isLoading: true,
    problem: null
  });
  React.useEffect(() => {
    let gone = false;
    const set = (change: Partial<ILoading>) =>
      gone || setLoaded(before => ({ ...before, ...change }));
    const load = async () => {
      const { client } = cabinet;
      const recording = await client.recording(recordingId);
      let timeline = EMPTY_TIMELINE;
      for (const part of recording.parts) {
        timeline = withPart(timeline, await client.cast(recordingId, part.number), part.seconds);
        if (round === 0) {
          set({ recording, timeline });
        }
      }
      set({ recording, timeline, isLoading: false, problem: null });
    };
    set({ isLoading: true });
    load().catch((reason: Error) => set({ isLoading: false, problem: reason.message }));
    return () => {
      gone = true;
    };
  }, [cabinet, recordingId, round]);
  React.useEffect(() => {
    const slot = (_: unknown, id: string) => {
      if (id === recordingId) {
        bump();
      }
    };
    list.recordingClosed.connect(slot);
    return () => void list.recordingClosed.disconnect(slot);
  }, [list, recordingId]);
  return { ...loaded, refresh: bump };
}
