/**
 * What a person reads before they trust the server’s root folder. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

export function trustWords(trans: TranslationBundle): string {
  return trans.__(
    'Agents read and change files in this folder and run programs with the permissions of this server. Settings and instructions in the folder influence what they do. Trust the folder only if you know where its files come from.'
  );
}

/** For a person who may not trust it. */
export function whoMayTrust(trans: TranslationBundle): string {
  return trans.__(
    'Only an administrator of this server who is logged in with a browser can trust this folder. Ask one of them.'
  );
}
