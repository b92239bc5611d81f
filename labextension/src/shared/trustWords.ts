/**
 * What a person reads before they trust the server’s folder. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

export function trustWords(trans: TranslationBundle): string {
  return trans.__(
    'Agents read and change files in this folder and run programs with the power of this server. Settings and instructions that lie in the folder steer them. Confirm only if you know where its files come from.'
  );
}
