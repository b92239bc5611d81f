/**
 * The notifications that agents’ events cause, each a sentence. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { CabinetEvent } from '../../api/types';
import { slugOfRun } from './plays/slugOfRun';

/** A notification: `warning` for what stopped or waits for somebody. */
export interface INews {
  level: 'info' | 'warning';
  text: string;
  /** News with the same key take each other's place, and are over with an event that `overBy` names. */
  key?: string;
  /** It stays until the person dismisses it. `offer`: what a button of it does. */
  stays?: boolean;
  offer?: IOffer;
}

/** What an agent offers to do in the browser: to open the file `text`, or to copy the text. */
export interface IOffer {
  action: 'open' | 'clipboard';
  text: string;
}

const OF_ALL_WORK = 'all work';
const ofPlay = (slug: string) => `play/${slug}`;
const ofSoul = (slug: string) => `soul/${slug}`;
const ofPost = (agent: string, channel: string) => `post/${agent}/${channel}`;
const ofEffects = (runId: string) => `effects/${runId}`;

/** The keys of news whose reason is over after this event. */
export function overBy(event: CabinetEvent): string[] {
  switch (event.type) {
    case 'posted':
      return event.chats ? [ofPost(event.agent, event.channel)] : [];
    case 'agent_resumed':
    case 'agent_removed':
      return [event.agent];
    case 'run_started': {
      const { kind } = event.run;
      return kind === 'play' ? [ofPlay(slugOfRun(event.run))] : [];
    }
    case 'run_finished':
      return event.run.agent && event.run.state === 'succeeded' ? [event.run.agent] : [];
    case 'play_removed':
      return [ofPlay(event.play)];
    case 'soul_proposal_closed':
      return [ofSoul(event.agent)];
    case 'effects_applied':
      return event.held ? [] : [ofEffects(event.run_id)];
    case 'work_resumed':
      return [OF_ALL_WORK];
    default:
      return [];
  }
}

/** Which news a person wants as notifications. */
export type Wish = 'all' | 'trouble' | 'none';

/** As the setting says it; everything where it says nothing that is known. */
export function wishOf(setting: unknown): Wish {
  return setting === 'trouble' || setting === 'none' ? setting : 'all';
}

export function isWanted({ level, stays }: INews, wish: Wish): boolean {
  return wish === 'all' || (wish === 'trouble' && (level === 'warning' || stays === true));
}

/** Kinds of runs that nobody has asked for who waits for the answer. */
const UNWATCHED: readonly string[] = ['heartbeat', 'play', 'reflection'];

/** Text that an agent wrote is shown as text, and cut here. */
const LONGEST = 200;

/** None for what the lists show anyway. `nameOf`: how people call an agent. */
export function newsOf(
  event: CabinetEvent,
  trans: TranslationBundle,
  nameOf: (slug: string) => string
): INews | null {
  switch (event.type) {
    case 'agent_paused':
      return event.by
        ? null
        : {
            level: 'warning',
            key: event.agent,
            text: trans.__('%1 was paused. %2', nameOf(event.agent), event.reason)
          };
    case 'run_finished': {
      const { agent, failure, kind, reason, state } = event.run;
      const isTrouble = state === 'failed' || state === 'timed_out';
      return agent !== null && isTrouble && UNWATCHED.includes(kind)
        ? {
            level: 'warning',
            key: agent,
            text: trans.__(
              'A run of %1 failed. %2',
              nameOf(agent),
              short(failure?.message ?? reason)
            )
          }
        : null;
    }
    case 'soul_proposed':
      return {
        level: 'info',
        key: ofSoul(event.agent),
        text: trans.__('%1 proposes a new SOUL.md. Open its page to decide.', nameOf(event.agent))
      };
    case 'browser_asked':
      return browserNews(event, nameOf(event.agent), trans);
    case 'goal_alert':
      return {
        level: 'warning',
        key: `goal/${event.agent}/${event.metric}`,
        text: trans.__('%1 is below the floor of its goal %2.', nameOf(event.agent), event.metric)
      };
    case 'posted':
      return event.chats
        ? {
            level: 'info',
            text: trans.__('%1 in #%2: %3', nameOf(event.agent), event.channel, short(event.text))
          }
        : {
            level: 'warning',
            key: ofPost(event.agent, event.channel),
            text: trans.__(
              'No chat named %2 is connected, so the post of %1 was only kept: %3',
              nameOf(event.agent),
              event.channel,
              short(event.text)
            )
          };
    case 'effects_applied':
      return event.held
        ? {
            level: 'warning',
            key: ofEffects(event.run_id),
            text: trans._n(
              '%2 has read text from outside, so %1 effect waits for your approval.',
              '%2 has read text from outside, so %1 effects wait for your approval.',
              event.held,
              nameOf(event.agent)
            )
          }
        : null;
    case 'play_not_started':
      return {
        level: 'warning',
        key: ofPlay(event.play),
        text: trans.__('The play %1 was not started. %2', event.play, event.reason)
      };
    case 'work_paused':
      return {
        level: 'warning',
        key: OF_ALL_WORK,
        text: trans.__('%1 paused all agents.', event.by)
      };
    default:
      return null;
  }
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

function browserNews(
  { action, text }: Extract<CabinetEvent, { type: 'browser_asked' }>,
  name: string,
  trans: TranslationBundle
): INews {
  const asked = { level: 'info', stays: true } as const;
  switch (action) {
    case 'notify':
      return { ...asked, text: trans.__('%1: %2', name, short(text)) };
    case 'open':
      return {
        ...asked,
        text: trans.__('%1 suggests that you open %2', name, short(text)),
        offer: { action, text }
      };
    case 'clipboard':
      return {
        ...asked,
        text: trans.__('%1 has a text for your clipboard', name),
        offer: { action, text }
      };
  }
}
