/**
 * What triggers, schedules and mistakes of plays are called. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { PlayRow } from '../../../api/types';
import { stateLabel } from '../../../runs';
import type { StateIcon } from '../../../shared/stateIcon';
import { visible } from '../../../shared/untrusted';
import { fieldErrorText } from '../fieldErrorText';
import type { IPlayDraft } from './draft';
import { WRONG_PLAY } from './draftChecks';
import { type Ending, startersOf, type Trigger } from './graph';

/** Of requests that are tried. */
export const SAMPLE_BODY = '{"issue": 7}';

/** How people call the agent, or the play, with a slug. */
export type NameOf = (slug: string) => string;

/** What agents and plays are called in a sentence. */
export interface INames {
  agent: NameOf;
  play: NameOf;
}

/** The question before a play is deleted. `plays`: all of them, to name those that it no longer starts. */
export function deletionWords(
  play: Pick<PlayRow, 'slug' | 'title'>,
  plays: readonly PlayRow[],
  trans: TranslationBundle
): { title: string; body: string } {
  const names = plays
    .filter(({ triggers }) =>
      triggers.some(each => each.type === 'on_complete' && each.play === play.slug)
    )
    .map(({ slug, title }) => visible(title || slug))
    .join(', ');
  const body = trans.__(
    'Its file moves to .playbooks/.trash/. The secret of its webhook, if any, is erased.'
  );
  return {
    title: trans.__('Delete the play “%1”?', visible(play.title || play.slug)),
    body: names ? `${body} ${trans.__('It no longer starts these plays: %1.', names)}` : body
  };
}

/** "When the goal “articles” falls behind"; the schedule in the server's words. */
export function triggerWords(
  trigger: Trigger,
  schedule: string,
  names: INames,
  trans: TranslationBundle
): string {
  switch (trigger.type) {
    case 'manual':
      return trans.__('By hand');
    case 'schedule':
      return schedule ? capital(schedule) : trans.__('By schedule');
    case 'on_complete':
      return completionWords(trigger.play && names.play(trigger.play), trigger.status, trans);
    case 'goal_behind':
      return trigger.metric
        ? trans.__('When the goal “%1” falls behind', trigger.metric)
        : trans.__('When any goal falls behind');
    case 'file_changed':
      return trans.__('When %1 changes', trigger.path);
    case 'webhook':
      return trans.__('By webhook');
    case 'agent_message':
      return trigger.agent
        ? trans.__('When a message for %1 arrives', names.agent(trigger.agent))
        : trans.__('When a message arrives');
    case 'startup':
      return trans.__('When the server starts');
    case 'agent_started':
      return trigger.agent
        ? trans.__('When a run of %1 begins', names.agent(trigger.agent))
        : trans.__('When a run of its agent begins');
    case 'agent_stopped':
      return trigger.agent
        ? trans.__('When a run of %1 ends', names.agent(trigger.agent))
        : trans.__('When a run of its agent ends');
  }
}

function completionWords(play: string | null, ending: Ending, trans: TranslationBundle): string {
  if (play === null) {
    return ending === 'failed'
      ? trans.__('When any other play has failed')
      : trans.__('When any other play has succeeded');
  }
  return ending === 'failed'
    ? trans.__('When %1 has failed', play)
    : trans.__('When %1 has succeeded', play);
}

/** The server's words for a time are the middle of a sentence there. */
function capital(words: string): string {
  return words[0].toUpperCase() + words.slice(1);
}

/** All that starts it: "Fridays at 16:00 · When Digest has failed". */
export function startWords(play: PlayRow, names: INames, trans: TranslationBundle): string {
  const words = startersOf(play).map(each => triggerWords(each, play.schedule, names, trans));
  return [...new Set(words)].join(' · ') || trans.__('By hand');
}

export function endingWords(ending: Ending, trans: TranslationBundle): string {
  return ending === 'failed' ? trans.__('when it has failed') : trans.__('when it has succeeded');
}

/**
 * The status of a play: what its run is doing, a problem that blocks it, or the result of its last run. Null: it has not
 * run yet.
 */
export function playStatus(
  { agent_gone: isAgentGone, broken, confirmed, last, reason, run_state: runState }: PlayRow,
  trans: TranslationBundle
): { icon: StateIcon; label: string } | null {
  if (runState !== null) {
    // "Waiting for you" is true only for the owner of the run
    return runState === 'waiting'
      ? { icon: 'question', label: trans.__('Waiting for an answer') }
      : stateLabel(runState, trans);
  }
  if (isAgentGone && !broken) {
    return { icon: 'warning', label: trans.__('Agent not found') };
  }
  if (reason) {
    const label = confirmed ? trans.__('Disabled: error') : trans.__('Needs confirmation');
    return { icon: 'warning', label: broken ? trans.__('File has errors') : label };
  }
  if (!last) {
    return null;
  }
  return last.status === 'completed'
    ? { icon: 'success', label: trans.__('Succeeded') }
    : { icon: 'error', label: trans.__('Failed') };
}

export function typeWords(type: Trigger['type'], trans: TranslationBundle): string {
  switch (type) {
    case 'manual':
      return trans.__('By hand');
    case 'schedule':
      return trans.__('Its schedule is due');
    case 'on_complete':
      return trans.__('A play has ended');
    case 'goal_behind':
      return trans.__('A goal falls behind');
    case 'file_changed':
      return trans.__('A file changes');
    case 'webhook':
      return trans.__('Its webhook is called');
    case 'agent_message':
      return trans.__('A message arrives');
    case 'startup':
      return trans.__('The server starts');
    case 'agent_started':
      return trans.__('A run of an agent begins');
    case 'agent_stopped':
      return trans.__('A run of an agent ends');
  }
}

/** What a trigger of this type does, with an example that can be taken as it is. */
export function exampleWords(type: Trigger['type'], trans: TranslationBundle): string {
  switch (type) {
    case 'manual':
    case 'schedule':
      return '';
    case 'on_complete':
      return trans.__('For example, write a report each time a play has collected data.');
    case 'goal_behind':
      return trans.__(
        'For example articles: the play starts when the agent is behind its goal “articles”.'
      );
    case 'file_changed':
      return trans.__(
        'For example reports/ for everything in that folder, or docs/**/*.md for all Markdown files in docs.'
      );
    case 'webhook':
      return trans.__(
        'After you save and confirm the play, its page shows the address, creates the secret and sends a test request.'
      );
    case 'agent_message':
      return trans.__(
        'For example iris: the play starts when somebody writes to Iris, and receives the message.'
      );
    case 'startup':
      return trans.__('For example, check after a restart what was interrupted.');
    case 'agent_started':
      return trans.__('For example iris: the play starts when Iris begins to work.');
    case 'agent_stopped':
      return trans.__('For example iris: the play starts when Iris has finished, or has failed.');
  }
}

/** A command for a shell that signs a request to this address with the secret in `$SECRET`, and sends it. */
export function signedRequestCommand(address: string): string {
  return [
    `url='${address}' body='${SAMPLE_BODY}' time=$(date +%s); id="by-hand-$time"`,
    `sign=$(printf '%s.%s.%s' "$time" "$id" "$body" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)`,
    'curl -H "X-Cabinet-Timestamp: $time" -H "X-Cabinet-Delivery: $id" -H "X-Cabinet-Signature: sha256=$sign" --data-binary "$body" "$url"'
  ].join('\n');
}

/** The inputs of a play that are asked for and were left empty. */
export function emptyInputs(
  { inputs }: Pick<PlayRow, 'inputs'>,
  given: Readonly<Record<string, string>>
): string[] {
  return inputs.filter(name => !given[name]?.trim());
}

export function scheduleTypeWords(
  type: IPlayDraft['schedule']['type'],
  trans: TranslationBundle
): string {
  switch (type) {
    case '':
      return trans.__('No schedule');
    case 'interval':
      return trans.__('At an interval');
    case 'cron':
      return trans.__('Cron expression');
    case 'daily':
      return trans.__('Each day');
    case 'weekly':
      return trans.__('On days of the week');
  }
}

/** `wrong`: a code of `WRONG_PLAY`, or a sentence of the server, which stays as it is. */
export function wrongPlayWords(wrong: string, trans: TranslationBundle): string {
  switch (wrong) {
    case WRONG_PLAY.taken:
      return trans.__('A play with this name already exists.');
    case WRONG_PLAY.body:
      return trans.__('Enter what the agent should do.');
    case WRONG_PLAY.untitled:
      return trans.__('Enter a title.');
    case WRONG_PLAY.long:
      return trans.__('Use at most 200 characters.');
    case WRONG_PLAY.seconds:
      return trans.__('Enter a number of seconds from 1 to 86400.');
    case WRONG_PLAY.every:
      return fieldErrorText('interval', trans);
    case WRONG_PLAY.cron:
      return trans.__('Enter five fields, such as 0 8 * * 1-5, or @daily.');
    case WRONG_PLAY.time:
      return trans.__('Enter hours and minutes, such as 08:30.');
    case WRONG_PLAY.days:
      return trans.__('Enter days, such as mon, wed, fri, or mon-fri.');
    case WRONG_PLAY.path:
      return trans.__(
        'Enter a path in the server’s root folder, such as docs/**/*.md or reports/.'
      );
    default:
      return fieldErrorText(wrong, trans);
  }
}
