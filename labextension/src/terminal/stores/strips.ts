/**
 * The strips over a terminal: which there are in a state, in what order, with what words and actions.
 * Pure. `slot` strips last, and have a line of their own; `extra` ones come and go without moving the screen.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Rejection } from '../../api/terminal';
import type { Person } from '../../api/types';
import {
  hasAgent,
  maySteer,
  refusal,
  tellsControl,
  youAsked,
  youControl,
  type IEnd,
  type ITerminalState
} from './state';
import {
  agentName,
  agoText,
  answerHereText,
  endText,
  firstName,
  queuedText,
  refusalText,
  secondsUntil
} from './labels';
import { visible } from '../../shared/untrusted';

export type StripIcon =
  | 'lock'
  | 'eye'
  | 'pause'
  | 'keyboard'
  | 'offline'
  | 'ring'
  | 'clock'
  | 'success'
  | 'error'
  | 'stop'
  | 'question';

export type StripVerb =
  | 'request'
  | 'withdraw'
  | 'give'
  | 'deny'
  | 'pause'
  | 'resume'
  | 'retry'
  | 'play'
  | 'dismiss'
  | 'new'
  | 'answer';

export interface IStripAction {
  verb: StripVerb;
  label: string;
  /** The command whose key is shown beside the label. */
  key?: 'request' | 'give' | 'deny';
  filled?: boolean;
  link?: boolean;
  /** The username it is about. */
  to?: string;
}

export interface IStrip {
  id: string;
  place: 'slot' | 'extra';
  icon: StripIcon;
  tone: 'neutral' | 'warning';
  /** Somebody the strip is about: their disc takes the icon's place, their name comes first. */
  person?: Person;
  text: string;
  aside?: string;
  /** The id of the question that it tells. */
  about?: string;
  actions: IStripAction[];
  flash?: boolean;
}

/** What an agent asks, where it can be answered elsewhere too. */
export interface IQuestion {
  id: string;
  title: string;
  mayAnswer: boolean;
  owner: string;
  inTerminal: boolean;
}

export interface IStripView {
  state: ITerminalState;
  isLost: boolean;
  retryAt: number | null;
  gone: 'closed' | 'unknown' | 'not_allowed' | null;
  keptForYouUntil: Date | null;
  replaying: boolean;
  refused: Rejection | null;
  /** The strip of the agent's end was closed. */
  dismissed: boolean;
  /** There is a line for a strip at all times, as in the sidebar. */
  hasSlot: boolean;
  /** Of the agent in the terminal. */
  question?: IQuestion | null;
  now: Date;
}

/** The screen's being rebuilt is told for so long at least. */
export const REBUILT_MS = 6_000;

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

const strip = (
  id: string,
  place: IStrip['place'],
  icon: StripIcon,
  text: string,
  rest: Partial<IStrip> = {}
): IStrip => ({ id, place, icon, text, tone: 'neutral', actions: [], ...rest });

type Gone = NonNullable<IStripView['gone']>;

/** Why there is nothing to connect to any more; it is spoken too. */
export function goneText(gone: Gone, trans: TranslationBundle): string {
  switch (gone) {
    case 'not_allowed':
      return trans.__('You may not see this terminal.');
    case 'unknown':
      return trans.__('There is no such terminal. It was closed, or the link is wrong.');
    case 'closed':
      return trans.__('This terminal was closed.');
  }
}

function goneStrip(gone: Gone, { state }: IStripView, trans: TranslationBundle): IStrip {
  const words = goneText(gone, trans);
  if (gone === 'not_allowed') {
    return strip('gone', 'slot', 'lock', words);
  }
  const play = gone === 'closed' && state.recorded ? [playAction(trans)] : [];
  const anew: IStripAction = { verb: 'new', label: trans.__('New terminal') };
  return strip('gone', 'slot', 'error', words, { actions: [...play, anew] });
}

function lostStrip(view: IStripView, trans: TranslationBundle): IStrip {
  const seconds = secondsUntil(view.retryAt ?? 0, view.now);
  // Who controls gives the program its size: it must not change because a connection did.
  const keepsSize = youControl(view.state) && !hasAgent(view.state) && !view.hasSlot;
  return strip(
    'lost',
    keepsSize ? 'extra' : 'slot',
    'offline',
    seconds
      ? trans.__('Connection lost. Trying again in %1 s. What you type now is not sent.', seconds)
      : trans.__('Connection lost. Trying again. What you type now is not sent.'),
    { tone: 'warning', actions: [{ verb: 'retry', label: trans.__('Try now') }] }
  );
}

/** For those who control, without a connection. */
function keptStrip(
  until: Date | null,
  { now, state }: IStripView,
  trans: TranslationBundle
): IStrip[] {
  const seconds = until ? secondsUntil(until.getTime(), now) : 0;
  if (!until || !tellsControl(state)) {
    return []; // with nobody else there it is kept for as long as it takes
  }
  const text = seconds
    ? trans._n(
        'Control is kept for you for %1 more second.',
        'Control is kept for you for %1 more seconds.',
        seconds
      )
    : trans.__('Control is no longer kept for you.');
  return [strip('kept', 'extra', 'clock', text)];
}

function agentStrips(view: IStripView, trans: TranslationBundle): IStrip[] {
  const { state } = view;
  const agent = agentName(state, trans);
  switch (state.agentState) {
    case 'running':
    case 'ending':
      return [lockStrip(state, agent, trans)];
    case 'paused':
      return [
        youControl(state)
          ? strip(
              'paused',
              'slot',
              'pause',
              trans.__('%1 is paused. This is your shell; resume it when you are done.', agent)
            )
          : strip('paused', 'slot', 'pause', trans.__('%1 is paused.', agent))
      ];
    case 'waiting':
      if (view.question && !view.hasSlot) {
        return [questionStrip(view.question, state, trans)];
      }
      return youControl(state) && !state.exited ? [waitingStrip(state, agent, trans)] : [];
    default:
      return state.queued && !state.exited
        ? [strip('queued', 'slot', 'clock', queuedText(state.queued, state, trans))]
        : endStrips(view, agent, trans);
  }
}

function lockStrip(state: ITerminalState, agent: string, trans: TranslationBundle): IStrip {
  const text =
    state.agentState === 'ending'
      ? trans.__('%1 has ended. What it started is being ended.', agent)
      : maySteer(state)
        ? trans.__(
            '%1 is working. Nobody can type until it has answered. Pause or stop it to type.',
            agent
          )
        : trans.__('%1 is working. Nobody can type until it has answered.', agent);
  return strip('lock', 'slot', 'lock', text, {
    aside: trans.__('You may scroll, select and copy')
  });
}

/** It takes the line of the lock that was there while the agent worked: nothing moves. */
function questionStrip(
  question: IQuestion,
  state: ITerminalState,
  trans: TranslationBundle
): IStrip {
  const { id, title, mayAnswer, owner, inTerminal } = question;
  const text =
    inTerminal && youControl(state)
      ? trans.__('%1. Answer here, or type in the terminal.', title)
      : trans.__('%1.', title);
  const answer: IStripAction = { verb: 'answer', label: trans.__('Answer') };
  return strip('question', 'slot', 'question', text, {
    tone: 'warning',
    about: id,
    aside: mayAnswer ? undefined : trans.__('Only %1 may answer', owner),
    actions: mayAnswer ? [answer] : []
  });
}

function waitingStrip(state: ITerminalState, agent: string, trans: TranslationBundle): IStrip {
  return state.agentReason
    ? strip('waiting', 'slot', 'question', answerHereText(state, trans), {
        tone: 'warning',
        aside: visible(state.agentReason)
      })
    : strip('waiting', 'slot', 'keyboard', trans.__('%1 has answered. You can type.', agent));
}

function endStrips(view: IStripView, agent: string, trans: TranslationBundle): IStrip[] {
  const { state, dismissed } = view;
  if (state.exited) {
    const program = state.source === 'agent' ? agent : trans.__('The shell');
    const actions = [
      ...(state.recorded ? [playAction(trans)] : []),
      { verb: 'new' as const, label: trans.__('New terminal') }
    ];
    return [endStrip('exited', endText(program, state.exited, trans), state.exited, actions)];
  }
  if (!state.agentEnd || dismissed) {
    return [];
  }
  const words = trans.__('%1 The terminal goes on.', endText(agent, state.agentEnd, trans));
  const close: IStripAction = { verb: 'dismiss', label: trans.__('Close') };
  const actions = state.recorded ? [playAction(trans), close] : [close];
  return [endStrip('ended', words, state.agentEnd, actions)];
}

function endStrip(id: string, text: string, end: IEnd, actions: IStripAction[]): IStrip {
  const failed = end.signal !== null || end.code;
  const icon = end.by ? 'stop' : failed ? 'error' : 'success';
  return strip(id, 'slot', icon, text, { actions });
}

const playAction = (trans: TranslationBundle): IStripAction => ({
  verb: 'play',
  label: trans.__('Play recording')
});

/** For those who do not control. */
function viewerStrips(view: IStripView, trans: TranslationBundle): IStrip[] {
  const { state } = view;
  if (state.exited || youControl(state)) {
    return [];
  }
  const viewOnly = state.you!.can_execute ? undefined : trans.__('View only');
  if (view.question && state.agentState === 'waiting' && !view.hasSlot) {
    return []; // what it asks is said in the line; the toolbar has the request
  }
  const locked = refusal(state) === 'agent_running' || refusal(state) === 'ending';
  if (locked) {
    return []; // the lock says it; the toolbar has the request
  }
  if (!state.controller) {
    const text = trans.__('Nobody controls this terminal.');
    const actions: IStripAction[] = viewOnly
      ? []
      : [{ verb: 'request', label: trans.__('Take control'), key: 'request', link: true }];
    return [strip('free', 'slot', 'keyboard', text, { aside: viewOnly, actions })];
  }
  return [
    strip('viewer', 'slot', 'eye', controllerText(view, trans), {
      aside: viewOnly,
      actions: viewOnly ? [] : [requestAction(state, trans)]
    })
  ];
}

function controllerText({ state, now }: IStripView, trans: TranslationBundle): string {
  const name = firstName(state.controller!);
  if (!state.keptUntil) {
    return trans.__('%1 is typing.', name);
  }
  const seconds = secondsUntil(state.keptUntil.getTime(), now);
  return seconds
    ? trans._n(
        '%2 is reconnecting. Control is kept for %1 more second.',
        '%2 is reconnecting. Control is kept for %1 more seconds.',
        seconds,
        name
      )
    : trans.__('%1 is reconnecting.', name);
}

function requestAction(state: ITerminalState, trans: TranslationBundle): IStripAction {
  return youAsked(state)
    ? { verb: 'withdraw', label: trans.__('Withdraw the request'), key: 'request', link: true }
    : { verb: 'request', label: trans.__('Request control'), key: 'request', link: true };
}

/** What the controller is asked; the keys are the first one's. */
function requestStrips({ state, now }: IStripView, trans: TranslationBundle): IStrip[] {
  if (!youControl(state)) {
    return [];
  }
  return state.requests.map((person, index) => {
    const first = index === 0;
    return strip(`request-${person.username}`, 'extra', 'keyboard', trans.__('asks for control'), {
      tone: 'warning',
      person,
      aside: agoText(state.askedAt[person.username], now, trans),
      actions: [
        {
          verb: 'give',
          label: trans.__('Give'),
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
    });
  });
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
