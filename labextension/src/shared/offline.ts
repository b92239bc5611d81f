/**
 * What every panel says while the server does not serve it.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ConnectionStore } from './connection';
import { clock } from './time';
import { visible } from './untrusted';

/**
 * The server's own reason where it answers that Cabinet is not available; else that nobody answers, and since when
 * what is shown is old. `isEmpty`: nothing is shown, because nothing was loaded before.
 */
export function offlineText(
  { isLoggedOut, problem, lastSeen }: Pick<ConnectionStore, 'isLoggedOut' | 'problem' | 'lastSeen'>,
  trans: TranslationBundle,
  isEmpty = false
): string {
  if (isLoggedOut) {
    return trans.__('You are logged out. Log in again to continue.');
  }
  if (problem !== null) {
    return visible(problem);
  }
  if (isEmpty) {
    return trans.__('Not connected. The content will appear when the server responds.');
  }
  return lastSeen
    ? trans.__('Not connected. Showing the state as of %1.', clock(lastSeen))
    : trans.__('Not connected.');
}
