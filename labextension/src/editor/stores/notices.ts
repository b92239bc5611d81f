/**
 * What the editor could not do, as its panel shows it: a refusal with its reason, or the question whether a
 * folder is trusted.
 */
import { ApiError, type CabinetClient } from '../../api/client';
import type { Trust } from '../../api/types';

/** `again` does what was refused once more. */
export type Notice =
  { kind: 'trust'; trust: Trust; again: () => Promise<void> } | { kind: 'error'; message: string };

/** `again`: what is done once the folder is trusted. */
export async function noticeOf(
  reason: unknown,
  client: CabinetClient,
  again?: () => Promise<void>
): Promise<Notice> {
  const message = reason instanceof Error ? reason.message : String(reason);
  if (!(reason instanceof ApiError) || reason.kind !== 'not_trusted' || !again) {
    return { kind: 'error', message };
  }
  try {
    return { kind: 'trust', trust: await client.trust(), again };
  } catch {
    return { kind: 'error', message };
  }
}
