/**
 * Asks a person whether agents may run in the server’s root folder, when something was refused because of that.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ICabinetServer } from '../shared/tokens';
import { whyNotTrust } from '../shared/trustWords';

/** The refused request then continues. Requests that are refused in the meantime wait for the same answer. */
export function askWhetherTrusted(server: ICabinetServer, trans: TranslationBundle): void {
  let asking: Promise<boolean> | null = null;
  server.client.confirmFolder = () =>
    (asking ??= confirmFolder(server, trans).finally(() => (asking = null)));
}

/** Whether it is confirmed afterwards. */
async function confirmFolder(
  { client, connection }: ICabinetServer,
  trans: TranslationBundle
): Promise<boolean> {
  const [{ confirmed, hash, root }, { you }, { askAboutFolder }] = await Promise.all([
    client.trust(),
    client.health(),
    import(/* webpackChunkName: "confirming" */ '../shared/views/trustDialog')
  ]);
  if (confirmed) {
    return true;
  }
  if (!(await askAboutFolder(root, whyNotTrust(you, trans), trans))) {
    return false;
  }
  await client.confirmTrust(hash);
  await connection.load();
  return true;
}
