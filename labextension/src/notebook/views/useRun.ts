/**
 * A run by its id as this page knows it, and what it has told. What has ended is read in one answer, without a
 * connection that stays.
 */
import * as React from 'react';

import type { Run } from '../../api/types';
import { type IFolded, isFinal, NOTHING, type RunStore } from '../../runs';
import { useSlowChanges } from '../../shared/views/hooks';
import { problemOf, type RunProblem } from '../stores/problems';
import { useCells } from './services';

/** So often a text that grows is drawn. */
const REDRAW_MS = 100;

/** `run` stays while the server is away. */
export interface IKnownRun {
  run: Run | null;
  problem: RunProblem | null;
}

/** Asked for at once, and again when the server is there again. */
export function useRun(id: string): IKnownRun {
  const { connection, runs } = useCells();
  const [known, set] = React.useState<IKnownRun>({ run: whole(runs.get(id)), problem: null });
  React.useEffect(() => {
    let isGone = false;
    let wants = true;
    const ask = () => {
      wants = false;
      runs.find(id).then(
        run => isGone || set({ run, problem: null }),
        (reason: unknown) => {
          if (!isGone) {
            const problem = problemOf(reason);
            wants = problem === 'offline';
            set(before => ({ ...before, problem }));
          }
        }
      );
    };
    const onRun = (_: RunStore, run: Run) => {
      if (run.id === id && !run.result?.cut) {
        set({ run, problem: null });
      }
    };
    const onConnection = () => {
      if (wants && connection.online) {
        ask();
      }
    };
    runs.updated.connect(onRun);
    connection.changed.connect(onConnection);
    ask();
    return () => {
      isGone = true;
      runs.updated.disconnect(onRun);
      connection.changed.disconnect(onConnection);
    };
  }, [connection, runs, id]);
  return known;
}

/** A run of a list has only the beginning of its answer. */
function whole(run: Run | undefined): Run | null {
  return run && !run.result?.cut ? run : null;
}

/** Follows a run that works; null while what an ended one has told is not read, or cannot be. */
export function useFolded(run: Run): IFolded | null {
  const { outputs } = useCells();
  // Who has followed it to its end has everything.
  const [follows, follow] = React.useState(!isFinal(run));
  const [kept, keep] = React.useState<IFolded | null>(null);
  const live = React.useMemo(
    () => (follows ? outputs.get(run.id) : null),
    [outputs, run.id, follows]
  );
  useSlowChanges(live?.changed ?? SILENT, REDRAW_MS);
  React.useEffect(() => {
    let isGone = false;
    if (!follows) {
      outputs.read(run.id).then(
        folded => isGone || keep(folded),
        () => isGone || keep(NOTHING)
      );
    }
    return () => {
      isGone = true;
    };
  }, [outputs, run.id, follows]);
  const isLost = live?.isDisposed && isFinal(run);
  React.useEffect(() => {
    if (isLost) {
      follow(false); // its stream was given up for others
    }
  }, [isLost]);
  return live ? live.folded : kept;
}

/** Of what never changes. */
const SILENT = { connect: () => true, disconnect: () => true } as const;
