/**
 * The strips about the agent in a terminal: at work, paused, asking, ended. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { agentName, answerHereText, endText, queuedText } from './labels';
import { maySteer, youAsked, youControl } from './rules';
import type { IEnd, ITerminalState } from './state';
import {
  playAction,
  strip,
  type IQuestion,
  type IStrip,
  type IStripAction,
  type IStripView
} from './strip';
import { requestAction } from './turnStrips';

/** None where no agent is there, or where its end was dismissed. */
export function agentStrips(view: IStripView, trans: TranslationBundle): IStrip[] {
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
              'pause',
              trans.__(
                '%1 is paused, and this is your shell. Resume the agent when you are done.',
                agent
              )
            )
          : strip('paused', 'pause', trans.__('%1 is paused.', agent))
      ];
    case 'waiting':
      if (view.question && !view.hasCard) {
        return [questionStrip(view.question, state, trans)];
      }
      return youControl(state) && !state.exited ? [waitingStrip(state, agent, trans)] : [];
    default:
      return state.queued && !state.exited
        ? [strip('queued', 'clock', queuedText(state.queued, state, trans))]
        : endStrips(view, agent, trans);
  }
}

function lockStrip(state: ITerminalState, agent: string, trans: TranslationBundle): IStrip {
  const text =
    state.agentState === 'ending'
      ? trans.__('%1 has ended. The programs that it started are being stopped.', agent)
      : trans.__('%1 is working. Nobody can type until it has answered.', agent);
  return strip('lock', 'lock', text, {
    aside:
      maySteer(state) && state.agentState === 'running'
        ? trans.__('Pause or stop it to type')
        : trans.__('You can scroll, select and copy'),
    actions: asking(state, trans)
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
      ? trans.__('%1. Choose Answer, or type in the terminal.', title)
      : trans.__('%1.', title);
  const answer: IStripAction = { verb: 'answer', label: trans.__('Answer') };
  return strip('question', 'question', text, {
    tone: 'warning',
    about: id,
    aside: mayAnswer ? undefined : trans.__('Only %1 can answer', owner),
    actions: [...(mayAnswer ? [answer] : []), ...asking(state, trans)]
  });
}

/** A request that is made is shown in the strip too: in a narrow terminal, the toolbar has no room for it. */
function asking(state: ITerminalState, trans: TranslationBundle): IStripAction[] {
  return youAsked(state) ? [requestAction(state, trans)] : [];
}

function waitingStrip(state: ITerminalState, agent: string, trans: TranslationBundle): IStrip {
  return state.agentReason
    ? strip('waiting', 'question', answerHereText(state.agentReason, trans), {
        tone: 'warning',
        actions: [{ verb: 'type', label: trans.__('Type answer') }]
      })
    : strip('waiting', 'keyboard', trans.__('%1 has answered. You can type.', agent));
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
  const words = trans.__('%1 The terminal stays open.', endText(agent, state.agentEnd, trans));
  const close: IStripAction = { verb: 'dismiss', label: trans.__('Close') };
  const actions = state.recorded ? [playAction(trans), close] : [close];
  return [endStrip('ended', words, state.agentEnd, actions)];
}

function endStrip(id: string, text: string, end: IEnd, actions: IStripAction[]): IStrip {
  const failed = end.signal !== null || end.code;
  const icon = end.by ? 'stop' : failed ? 'error' : 'success';
  return strip(id, icon, text, { actions });
}
