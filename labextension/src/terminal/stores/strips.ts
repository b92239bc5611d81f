/**
 * The strips over a terminal: which there are in a state, in what order, with what words and actions.
 * Pure. `slot` strips last, and have a line of their own; `extra` ones come and go without moving the screen.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { agentStrips } from './agentStrips';
import { goneStrip, keptStrip, lostStrip } from './connectionStrips';
import { refusalText } from './labels';
import { strip, type IStrip, type IStripView } from './strip';
import { requestStrips, viewerStrips } from './turnStrips';

/** The screen's being rebuilt is told for so long at least. */
export const REBUILT_MS = 6_000;

/** From top to bottom; none where nothing has to be said. */
export function terminalStrips(view: IStripView, trans: TranslationBundle): IStrip[] {
  if (view.gone) {
    return [goneStrip(view.gone, view, trans)];
  }
  if (view.isLost) {
    return [lostStrip(view, trans), ...keptStrip(view.keptForYouUntil, view, trans)];
  }
  if (!view.state.you) {
    return [];
  }
  const main = [...agentStrips(view, trans), ...viewerStrips(view, trans)];
  const slot = main.length ? [refusedIn(main[0], view, trans)] : refusedAlone(view, trans);
  const strips = [...requestStrips(view, trans), ...slot, ...main.slice(1)];
  return [...strips, ...passing(view, trans)];
}

/** What is said for a moment. */
function passing({ state, replaying, now }: IStripView, trans: TranslationBundle): IStrip[] {
  const { rebuilt } = state;
  if (!rebuilt || (!replaying && now.getTime() - rebuilt.at.getTime() > REBUILT_MS)) {
    return [];
  }
  const text = trans.__(
    'Catching up: the screen was rebuilt from the last %1 kB.',
    Math.max(1, Math.round(rebuilt.bytes / 1024))
  );
  return [strip('rebuilt', 'extra', 'ring', text)];
}

function refusedIn(main: IStrip, { refused, state }: IStripView, trans: TranslationBundle): IStrip {
  return refused ? { ...main, text: refusalText(refused, state, trans), flash: true } : main;
}

function refusedAlone({ refused, state }: IStripView, trans: TranslationBundle): IStrip[] {
  return refused
    ? [strip('refused', 'extra', 'lock', refusalText(refused, state, trans), { flash: true })]
    : [];
}
