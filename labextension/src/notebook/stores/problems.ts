/**
 * Why something that a notebook names is not shown.
 */
import { ApiError } from '../../api/client';

/** There is none here, it is somebody else's, or the server cannot be reached. */
export type RunProblem = 'absent' | 'forbidden' | 'offline';

/** What a request was refused with, in one word. */
export function problemOf(reason: unknown): RunProblem {
  if (!(reason instanceof ApiError)) {
    return 'offline';
  }
  return reason.status === 403 ? 'forbidden' : 'absent';
}
