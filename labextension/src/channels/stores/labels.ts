/**
 * Channels, connected accounts and messages in words. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { AccountRight, Channel, ChannelMessage, ConnectedAccount } from '../../api/types';
import type { StateIcon } from '../../shared/stateIcon';
import { when } from '../../shared/time';
import { visible } from '../../shared/untrusted';

export type ChannelIcon = StateIcon | 'off';

/** The state of a connection, in words. `onlySends`: nobody can write there. */
export function connectionLabel(
  { account, since, state }: Channel['connection'],
  now: Date,
  trans: TranslationBundle,
  onlySends = false
): { icon: ChannelIcon; label: string } {
  switch (state) {
    case 'connected':
      if (onlySends) {
        return { icon: 'success', label: trans.__('Sends by %1', visible(account)) };
      }
      if (!account) {
        return {
          icon: 'success',
          label: since ? trans.__('Open since %1', when(since, now, trans)) : trans.__('Open')
        };
      }
      return {
        icon: 'success',
        label: since
          ? trans.__('Connected as %1 since %2', visible(account), when(since, now, trans))
          : trans.__('Connected as %1', visible(account))
      };
    case 'connecting':
      return { icon: 'ring', label: trans.__('Connecting…') };
    case 'failed':
      return { icon: 'error', label: trans.__('Failed') };
    case 'elsewhere':
      return {
        icon: 'clock',
        label: trans.__('Another server on this folder is connected')
      };
    case 'off':
      return { icon: 'off', label: trans.__('Off') };
  }
}

/** What waits, and what may be lost; nothing if there is neither. */
export function countsLabel(
  { unknown, waiting }: Pick<Channel, 'unknown' | 'waiting'>,
  trans: TranslationBundle
): string[] {
  return [
    waiting > 0 ? trans._n('%1 message waits', '%1 messages wait', waiting) : '',
    unknown > 0
      ? trans._n('%1 message may not have arrived', '%1 messages may not have arrived', unknown)
      : ''
  ].filter(Boolean);
}

export function accountsLabel(count: number, trans: TranslationBundle): string {
  return count === 0
    ? trans.__('No connected accounts')
    : trans._n('%1 connected account', '%1 connected accounts', count);
}

export function rightsLabel(may: readonly AccountRight[], trans: TranslationBundle): string {
  const parts = [
    may.includes('ask') && trans.__('may ask agents'),
    may.includes('approve') && trans.__('may answer approval requests')
  ].filter(Boolean);
  return parts.length ? parts.join(', ') : trans.__('may do nothing');
}

type Notify = ConnectedAccount['notify'];

/** What an account can be notified of, in words. `present`: is always one of them. */
export function notifyChoices(
  present: Notify,
  trans: TranslationBundle
): readonly (readonly [Notify, string])[] {
  const choices: [Notify, string][] = [
    ['off', trans.__('Never')],
    ['error', trans.__('When something has failed')],
    ['warn', trans.__('When something has failed or needs me')],
    ['info', trans.__('When something has failed, needs me, or is done')]
  ];
  return present === 'critical'
    ? [...choices, ['critical', trans.__('Only in emergencies')]]
    : choices;
}

/** How often finished work is reported: minutes, and words. `present`: is always one of them. */
export function digestChoices(
  present: string,
  trans: TranslationBundle
): readonly (readonly [string, string])[] {
  const choices: [string, string][] = [
    ['', trans.__('At once')],
    ['60', trans.__('Once an hour')],
    ['240', trans.__('Every four hours')],
    ['1440', trans.__('Once a day')]
  ];
  return choices.some(([minutes]) => minutes === present)
    ? choices
    : [...choices, [present, trans.__('Every %1 minutes', present)]];
}

/** For how long a channel keeps its messages: the usual times, and the present one if it is another. */
export function keepChoices(
  present: string,
  trans: TranslationBundle
): readonly (readonly [string, string])[] {
  const choices: [string, string][] = [
    ['', trans.__('The newest 5,000')],
    ['1', trans.__('For a day')],
    ['7', trans.__('For a week')],
    ['30', trans.__('For 30 days')],
    ['365', trans.__('For a year')]
  ];
  return choices.some(([days]) => days === present)
    ? choices
    : [...choices, [present, trans.__('For %1 days', present)]];
}

/** What an account is notified of, and why that does not work; empty: of nothing. */
export function notifyLabel(
  { direct_chat, notify }: Pick<ConnectedAccount, 'direct_chat' | 'notify'>,
  trans: TranslationBundle
): string {
  if (notify === 'off') {
    return '';
  }
  return direct_chat
    ? trans.__('is notified')
    : trans.__('is notified after it has written to the bot once');
}

/** What happened with a message, in words. `reason` of the message says more. */
export function messageLabel(
  { state }: Pick<ChannelMessage, 'state'>,
  trans: TranslationBundle
): { icon: StateIcon | null; label: string } {
  const words: Record<ChannelMessage['state'], [StateIcon | null, string]> = {
    received: ['clock', trans.__('Received')],
    working: ['ring', trans.__('Being answered')],
    answered: [null, trans.__('Answered')],
    later: ['clock', trans.__('Scheduled')],
    waiting: ['clock', trans.__('Waits to be sent')],
    sending: ['ring', trans.__('Sending…')],
    sent: [null, trans.__('Sent')],
    unknown: ['warning', trans.__('May not have arrived')],
    failed: ['error', trans.__('Failed')]
  };
  const [icon, label] = words[state];
  return { icon, label };
}

/** Beside a choice of agents where none exists. */
export function noAgentsHint(trans: TranslationBundle): string {
  return trans.__(
    'There are no agents yet. Create one with New agent… in the Cabinet menu. Then choose it here.'
  );
}
