/**
 * Shows why something did not work.
 */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { visible } from '../../shared/untrusted';

export function complain(reason: unknown, trans: TranslationBundle): void {
  const { message } = reason as Error;
  Notification.error(visible(message || trans.__('The server cannot be reached.')), {
    autoClose: 8_000
  });
}
