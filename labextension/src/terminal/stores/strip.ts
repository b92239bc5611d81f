/**
 * A strip over a terminal: an icon, words and actions in one line.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Rejection } from '../../api/terminal';
import type { Person } from '../../api/types';
import type { ITerminalState } from './state';

/** The icon before the text. */
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

/** What a button of a strip does. */
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
  | 'answer'
  | 'type';

/** A button of a strip. */
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

/** All that decides which strips there are. */
export interface IStripView {
  state: ITerminalState;
  isLost: boolean;
  retryAt: number | null;
  gone: 'closed' | 'unknown' | 'not_allowed' | 'private' | null;
  /** Of one that was closed: a sentence of the server, such as who has closed it. */
  closedBecause?: string;
  keptForYouUntil: Date | null;
  replaying: boolean;
  refused: Rejection | null;
  /** The strip of the agent's end was closed. */
  dismissed: boolean;
  /** In the sidebar a card above the terminal tells what the agent asks. */
  hasCard: boolean;
  /** Of the agent in the terminal. */
  question?: IQuestion | null;
  now: Date;
}

/** One with the usual tone and no actions, but for what `rest` says. */
export const strip = (
  id: string,
  icon: StripIcon,
  text: string,
  rest: Partial<IStrip> = {}
): IStrip => ({ id, icon, text, tone: 'neutral', actions: [], ...rest });

/** Leads to the recording. */
export const playAction = (trans: TranslationBundle): IStripAction => ({
  verb: 'play',
  label: trans.__('Play recording')
});
