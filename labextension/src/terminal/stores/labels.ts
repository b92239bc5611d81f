/**
 * What is said of a terminal's people, its agent and its end; one place, so that strips, toolbar,
 * lists and the ear hear the same. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Rejection } from '../../api/terminal';
import type { AgentState, Person } from '../../api/types';
import { programControls, watchers, youControl, yourPlace } from './rules';
import type { IEnd, IQueued, ITerminalState } from './state';
import { visible } from '../../shared/untrusted';
import { clock, duration } from '../../shared/time';
import { queuePosition } from '../../runs';

/** A person's name, safe to show. */
export function nameOf(person: Person): string {
  return visible(person.display_name || person.username);
}

/** What Jupyter calls people it does not know, before a name that tells them apart. */
const NO_NAME = 'Anonymous';

/** The name one calls somebody by, in short sentences. */
export function firstName(person: Person): string {
  const name = nameOf(person).trim();
  const [first] = name.split(/\s+/);
  return first === NO_NAME ? name : first;
}

/** Who can see a private terminal. `ownsAll` is true for administrators, and for everyone if all share one token. */
export function privacyText(who: { ownsAll: boolean }, trans: TranslationBundle): string {
  return who.ownsAll
    ? trans.__(
        'Only its owner and administrators can see a private terminal. With one shared token, everyone who is logged in can see it.'
      )
    : trans.__('Only you and administrators can see a private terminal');
}

/** As it calls itself, safe to show; "An agent" where it does not. */
export function agentName(state: ITerminalState, trans: TranslationBundle): string {
  return state.agentTitle ? visible(state.agentTitle) : trans.__('An agent');
}

/** "Claude Code, started by Ada, waits for its turn: next in line." */
export function queuedText(
  queued: IQueued,
  state: ITerminalState,
  trans: TranslationBundle
): string {
  const { by, pausedBy, position } = queued;
  const title = visible(queued.title);
  const isYours = !by || by.username === state.you?.username;
  const who = isYours ? title : trans.__('%1, started by %2,', title, firstName(by));
  if (pausedBy !== null) {
    return trans.__('%1 is waiting: %2 has paused all agents.', who, visible(pausedBy));
  }
  return position === null
    ? trans.__('%1 is waiting for its turn.', who)
    : trans.__('%1 is waiting for its turn: %2.', who, queuePosition(position, trans));
}

/** "May I run make? Type your answer in the terminal.": the agent's question comes first, because the end may be cut. */
export function answerHereText(reason: string, trans: TranslationBundle): string {
  const question = visible(reason).trim();
  const sentence = /[.?!…:]$/.test(question) ? question : `${question}.`;
  return trans.__('%1 Type your answer in the terminal.', sentence);
}

/** Why a key was not typed, without a full stop. */
export function refusalText(
  reason: Rejection,
  state: ITerminalState,
  trans: TranslationBundle
): string {
  switch (reason) {
    case 'agent_running':
    case 'ending':
      return trans.__('Not sent: an agent is running');
    case 'busy':
      return trans.__('Not sent: the program does not read its input');
    case 'exited':
      return trans.__('Not sent: the program has ended');
    case 'read_only':
      return trans.__('Not sent: view only');
    case 'not_controller':
      return state.controller && !youControl(state)
        ? trans.__('Not sent: %1 has control', firstName(state.controller))
        : trans.__('Not sent: nobody has control');
  }
}

/** How a program ended, as a sentence: by whom, by which signal, with which exit code. */
export function endText(program: string, end: IEnd, trans: TranslationBundle): string {
  const at = clock(end.at);
  if (end.by) {
    return trans.__('%1 was stopped at %2 by %3.', program, at, nameOf(end.by));
  }
  if (end.signal !== null) {
    return trans.__('%1 was terminated at %2 by signal %3.', program, at, String(end.signal));
  }
  return end.code === null
    ? trans.__('%1 ended at %2.', program, at)
    : trans.__('%1 ended at %2 with exit code %3.', program, at, String(end.code));
}

/** "12 s ago"; empty in the first second. */
export function agoText(asked: Date | undefined, now: Date, trans: TranslationBundle): string {
  const seconds = asked ? Math.max(0, (now.getTime() - asked.getTime()) / 1000) : 0;
  return seconds < 1 ? '' : trans.__('%1 ago', duration(seconds, trans));
}

/** Whole seconds, never less than none. */
export function secondsUntil(time: number, now: Date): number {
  return Math.max(0, Math.ceil((time - now.getTime()) / 1000));
}

/** "You control", "Ada controls", "Nobody controls", "Reconnecting": who, and what of them. */
export function controllerLabel(
  state: ITerminalState,
  isConnected: boolean,
  trans: TranslationBundle
): { who: string; what: string; full: string } {
  if (!isConnected) {
    const what = state.you ? trans.__('Reconnecting') : trans.__('Connecting');
    return { who: '', what, full: what };
  }
  if (!state.controller) {
    const [who, what] = [trans.__('Nobody'), trans.__('controls')];
    return { who, what, full: trans.__('Nobody controls') };
  }
  if (youControl(state)) {
    const [who, what] = [trans.__('You'), trans.__('control')];
    return { who, what, full: trans.__('You control') };
  }
  const isProgram = programControls(state);
  const who = isProgram ? trans.__('A program') : firstName(state.controller);
  const name = isProgram ? who : nameOf(state.controller);
  return { who, what: trans.__('controls'), full: trans.__('%1 controls', name) };
}

/** With the place in line. */
export function requestedLabel(state: ITerminalState, trans: TranslationBundle): string {
  const places = [trans.__('1st'), trans.__('2nd'), trans.__('3rd')];
  const place = yourPlace(state);
  return trans.__('Requested, %1 in line', places[place - 1] ?? trans.__('%1th', place));
}

/** How many look on. */
export function watchingLabel(state: ITerminalState, trans: TranslationBundle): string {
  const count = watchers(state).length;
  return count ? trans._n('%1 watching', '%1 watching', count) : trans.__('Nobody else');
}

/** "running", "waiting", "paused", "stopped": of the agent in the terminal. */
export function agentStateWord(state: AgentState, trans: TranslationBundle): string {
  switch (state) {
    case 'running':
      return trans.__('running');
    case 'waiting':
      return trans.__('waiting');
    case 'paused':
      return trans.__('paused');
    case 'ending':
      return trans.__('ending');
    case 'stopped':
      return trans.__('stopped');
  }
}

/** "running, 2 min 04 s". */
export function agentLabel(state: ITerminalState, now: Date, trans: TranslationBundle): string {
  if (!state.agentState) {
    return '';
  }
  const word = agentStateWord(state.agentState, trans);
  const seconds = state.agentSince && (now.getTime() - state.agentSince.getTime()) / 1000;
  return seconds === null || state.agentState !== 'running'
    ? word
    : trans.__('%1, %2', word, duration(seconds, trans));
}
