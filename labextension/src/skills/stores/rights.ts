/**
 * Why a person cannot change skills and tool servers now, in a sentence; null: they can. Pure. The server decides; this
 * only says it beforehand.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

/** Who asks, as the connection knows it. */
export interface ILibraryPerson {
  online: boolean;
  inBrowser: boolean;
  mayChangeAgents: boolean;
}

/** To read them again. */
export function whyNotRead(
  { online }: Pick<ILibraryPerson, 'online'>,
  trans: TranslationBundle
): string | null {
  return online ? null : trans.__('The server cannot be reached.');
}

export function whyNotChange(who: ILibraryPerson, trans: TranslationBundle): string | null {
  return !who.online || who.mayChangeAgents
    ? whyNotRead(who, trans)
    : trans.__('You can view skills and tool servers on this server, but not change them.');
}

/** The same about decisions, which only a person makes. */
export function whyNotDecide(who: ILibraryPerson, trans: TranslationBundle): string | null {
  const why = whyNotChange(who, trans);
  return why === null && !who.inBrowser
    ? trans.__('Only a person who is logged in with a browser may decide what agents get.')
    : why;
}
