/**
 * What a person reads before they trust the server’s root folder. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

export function trustWords(trans: TranslationBundle): string {
  return trans.__(
    'Agents read and change files in this folder and run programs with the permissions of this server. Settings and instructions in the folder influence what they do. Trust the folder only if you know where its files come from.'
  );
}

/** Who asks, as the server knows them. */
interface IReader {
  in_browser: boolean;
  may_trust: boolean;
}

/** Why this person may not trust it; null: they may. */
export function whyNotTrust(you: IReader | undefined, trans: TranslationBundle): string | null {
  if (!you?.in_browser) {
    return trans.__('Only a person in the browser can confirm this.');
  }
  return you.may_trust
    ? null
    : trans.__('Only an administrator of this server can trust this folder. Ask one of them.');
}
