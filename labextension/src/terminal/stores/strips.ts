/**
 * The strips over a terminal: which there are in a state, in what order, with what words and actions. Pure.
 * They share one line, which is always there, so that none of them moves the screen when it comes or goes.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { agentStrips } from './agentStrips';
import { goneStrip, lostStrip } from './connectionStrips';
import { refusalText } from './labels';
import { tellsControl } from './rules';
import type { ITerminalState } from './state';
import { strip, type IStrip, type IStripView } from './strip';
import { requestStrips, turnNews, viewerStrips } from './turnStrips';

/** How long the message about a rebuilt screen is shown at least. */
export const REBUILT_MS = 6_000;

/** The most urgent first; none where nothing has to be said. */
export function terminalStrips(view: IStripView, trans: TranslationBundle): IStrip[] {
  if (view.gone) {
    return [goneStrip(view.gone, view, trans)];
  }
  if (view.isLost) {
    return [lostStrip(view, trans)];
  }
  if (!view.state.you) {
    return [];
  }
  const news = turnNews(view, trans);
  const main = [
    ...news,
    ...agentStrips(view, trans),
    ...(news.length ? [] : viewerStrips(view, trans))
  ];
  const slot = main.length ? [refusedIn(main[0], view, trans)] : refusedAlone(view, trans);
  const strips = [...requestStrips(view, trans), ...slot, ...main.slice(1)];
  return [...strips, ...passing(view, trans)];
}

/** What the line over a terminal says: a refused key, or the most urgent strip, or that one can type. */
export function stripInLine(
  strips: readonly IStrip[],
  state: ITerminalState,
  trans: TranslationBundle
): IStrip {
  const text = !state.you
    ? trans.__('Opening the terminal')
    : tellsControl(state)
      ? trans.__('You control this terminal')
      : trans.__('You can type in this terminal');
  const idle = strip('idle', state.you ? 'keyboard' : 'clock', text, {
    aside: state.you ? trans.__('Press Esc twice to move the focus out') : undefined
  });
  return strips.find(({ flash }) => flash) ?? strips[0] ?? idle;
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
  return [strip('rebuilt', 'ring', text)];
}

function refusedIn(main: IStrip, { refused, state }: IStripView, trans: TranslationBundle): IStrip {
  return refused ? { ...main, text: refusalText(refused, state, trans), flash: true } : main;
}

function refusedAlone({ refused, state }: IStripView, trans: TranslationBundle): IStrip[] {
  return refused
    ? [strip('refused', 'lock', refusalText(refused, state, trans), { flash: true })]
    : [];
}
