/**
 * Why a person cannot change channels now, in a sentence; null: they can. Pure. The server decides; this only says it
 * beforehand.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

/** Who asks, as the connection knows it. */
export interface IChannelPerson {
  online: boolean;
  inBrowser: boolean;
  mayUseChannels: boolean;
}

export function whyNotChange(who: IChannelPerson, trans: TranslationBundle): string | null {
  if (!who.online) {
    return trans.__('The server cannot be reached.');
  }
  if (!who.mayUseChannels) {
    return trans.__('You can view channels on this server, but not change them.');
  }
  return who.inBrowser
    ? null
    : trans.__('Only a person who is logged in with a browser may change channels.');
}
