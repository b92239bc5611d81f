/**
 * The strips about whose turn it is: who controls, who asks for control. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { agoText, firstName, secondsUntil } from './labels';
import { isFree, isLocked, youAsked, youControl } from './rules';
import type { ITerminalState } from './state';
import { strip, type IStrip, type IStripAction, type IStripView } from './strip';

/** How long the message about a refused request comes before all others. */
export const REFUSED_MS = 8_000;

/**
 * What a viewer has to know now, whatever the agent does: the controller has lost the connection, or does not give control.
 */
export function turnNews(view: IStripView, trans: TranslationBundle): IStrip[] {
  const { now, state } = view;
  if (state.exited || youControl(state) || isFree(state) || !state.you!.can_execute) {
    return [];
  }
  const isRefused =
    wasRefused(state) && now.getTime() - (state.refusedAt?.getTime() ?? 0) < REFUSED_MS;
  return state.keptUntil || isRefused
    ? [
        strip('turn-news', 'eye', controllerText(view, trans), {
          actions: [requestAction(state, trans)]
        })
      ]
    : [];
}

/** For those who do not control. */
export function viewerStrips(view: IStripView, trans: TranslationBundle): IStrip[] {
  const { state } = view;
  if (state.exited || youControl(state)) {
    return [];
  }
  const viewOnly = state.you!.can_execute ? undefined : trans.__('View only');
  if (view.question && state.agentState === 'waiting' && !view.hasCard) {
    return []; // what it asks is said in the line; the toolbar has the request
  }
  if (isLocked(state)) {
    return []; // the lock says it; the toolbar has the request
  }
  if (isFree(state)) {
    const text = state.controller
      ? trans.__('A script controls this terminal through the API. You can take control.')
      : trans.__('Nobody controls this terminal.');
    const actions: IStripAction[] = viewOnly
      ? []
      : [{ verb: 'request', label: trans.__('Take control'), key: 'request', link: true }];
    return [strip('free', 'keyboard', text, { aside: viewOnly, actions })];
  }
  return [
    strip('viewer', 'eye', controllerText(view, trans), {
      aside: viewOnly,
      actions: viewOnly ? [] : [requestAction(state, trans)]
    })
  ];
}

function controllerText({ state, now }: IStripView, trans: TranslationBundle): string {
  const name = firstName(state.controller!);
  if (!state.keptUntil) {
    return wasRefused(state)
      ? trans.__('%1 keeps control for now.', name)
      : trans.__('%1 has control.', name);
  }
  const seconds = secondsUntil(state.keptUntil.getTime(), now);
  return seconds
    ? trans._n(
        '%2 is not connected. Control is kept for %1 more second.',
        '%2 is not connected. Control is kept for %1 more seconds.',
        seconds,
        name
      )
    : trans.__('%1 is not connected.', name);
}

function wasRefused({ controller, refusedBy }: ITerminalState): boolean {
  return refusedBy !== null && refusedBy.username === controller?.username;
}

/** What a viewer can do to get control; while a request is made, it is what shows that. */
export function requestAction(state: ITerminalState, trans: TranslationBundle): IStripAction {
  return youAsked(state)
    ? { verb: 'withdraw', label: trans.__('Withdraw the request'), key: 'request', link: true }
    : { verb: 'request', label: trans.__('Request control'), key: 'request', link: true };
}

/** After the person's name. */
function requestText(others: number, trans: TranslationBundle): string {
  return others
    ? trans._n(
        'asks for control. %1 more person is waiting.',
        'asks for control. %1 more people are waiting.',
        others
      )
    : trans.__('asks for control');
}

/** What the controller is asked; the keys are the first one's. */
export function requestStrips({ state, now }: IStripView, trans: TranslationBundle): IStrip[] {
  if (!youControl(state)) {
    return [];
  }
  return state.requests.map((person, index) => {
    const first = index === 0;
    return strip(
      `request-${person.username}`,
      'keyboard',
      requestText(state.requests.length - 1 - index, trans),
      {
        tone: 'warning',
        person,
        aside: agoText(state.askedAt[person.username], now, trans),
        actions: [
          {
            verb: 'give',
            label: trans.__('Give control'),
            key: first ? 'give' : undefined,
            filled: first,
            to: person.username
          },
          {
            verb: 'deny',
            label: trans.__('Not now'),
            key: first ? 'deny' : undefined,
            to: person.username
          }
        ]
      }
    );
  });
}
