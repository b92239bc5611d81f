/**
 * A recording's parts, read one after the other: the first can be played while the others come.
 */
import * as React from 'react';

import type { Recording } from '../../api/types';
import { NO_TAPE, withPart, type ITape } from '../stores/asciicast';
import { useTerminals } from '../../terminal/views/services';

export interface ILoading {
  recording: Recording | null;
  tape: ITape;
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
    tape: NO_TAPE,
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
      let tape = NO_TAPE;
      for (const part of recording.parts) {
        tape = withPart(tape, await client.cast(recordingId, part.number), part.seconds);
        if (round === 0) {
          set({ recording, tape });
        }
      }
      set({ recording, tape, isLoading: false, problem: null });
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
