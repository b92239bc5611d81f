/**
 * The strips that say that there is no connection, or nothing to connect to any more. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { visible } from '../../shared/untrusted';
import { secondsUntil } from './labels';
import { tellsControl } from './rules';
import { playAction, strip, type IStrip, type IStripAction, type IStripView } from './strip';

type Gone = NonNullable<IStripView['gone']>;

/** Why there is nothing to connect to any more; it is spoken too. `because`: a sentence of the server, or empty. */
export function goneText(gone: Gone, because: string, trans: TranslationBundle): string {
  switch (gone) {
    case 'not_allowed':
      return trans.__('You do not have permission to view this terminal.');
    case 'private':
      return because ? visible(because) : trans.__('This terminal is private.');
    case 'unknown':
      return trans.__('Terminal not found. It was closed, or the link is wrong.');
    case 'closed':
      return because
        ? trans.__('This terminal was closed. %1', visible(because))
        : trans.__('This terminal was closed.');
  }
}

/** The only one where the terminal is gone. */
export function goneStrip(gone: Gone, view: IStripView, trans: TranslationBundle): IStrip {
  const words = goneText(gone, view.closedBecause ?? '', trans);
  if (gone === 'not_allowed' || gone === 'private') {
    return strip('gone', 'lock', words);
  }
  const play = gone === 'closed' && view.state.recorded ? [playAction(trans)] : [];
  const newTerminal: IStripAction = { verb: 'new', label: trans.__('New terminal') };
  return strip('gone', 'error', words, { actions: [...play, newTerminal] });
}

/** Counts down to the next attempt. */
export function lostStrip(view: IStripView, trans: TranslationBundle): IStrip {
  return strip('lost', 'offline', lostText(view, trans), {
    tone: 'warning',
    aside: keptText(view, trans),
    actions: [{ verb: 'retry', label: trans.__('Try now') }]
  });
}

/** No attempt is due while the person is logged out. */
function lostText({ now, retryAt }: IStripView, trans: TranslationBundle): string {
  if (retryAt === null) {
    return trans.__('Connection lost. What you type now is not sent.');
  }
  const seconds = secondsUntil(retryAt, now);
  return seconds
    ? trans.__('Connection lost. Trying again in %1 s. What you type now is not sent.', seconds)
    : trans.__('Connection lost. Trying again. What you type now is not sent.');
}

/** For those who control, without a connection. */
function keptText(
  { keptForYouUntil: until, now, state }: IStripView,
  trans: TranslationBundle
): string | undefined {
  const seconds = until ? secondsUntil(until.getTime(), now) : 0;
  if (!until || !tellsControl(state)) {
    return undefined; // with nobody else there it is kept for as long as it takes
  }
  return seconds
    ? trans._n(
        'Control is kept for you for %1 more second.',
        'Control is kept for you for %1 more seconds.',
        seconds
      )
    : trans.__('Control is no longer kept for you.');
}
