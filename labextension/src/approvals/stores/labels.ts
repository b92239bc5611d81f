/**
 * The texts about an agent's question, its risks and its outcome; one place, so that panel, card,
 * events, notification and the ear say the same. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { AnswerOption, Approval } from '../../api/types';
import { lineDiff } from '../../shared/lineDiff';
import { PROGRAM } from '../../shared/programs';
import { visible } from '../../shared/untrusted';
import type { StateIcon } from '../../shared/stateIcon';
import { duration } from '../../shared/time';

const CELL_RUN = 'cell_run'; // Cabinet's own tool

/** "Claude Code asks to run a command" */
export function titleText(approval: Approval, trans: TranslationBundle): string {
  const who = visible(approval.runtime_title);
  switch (approval.kind) {
    case 'command':
      return trans.__('%1 asks to run a command', who);
    case 'edit':
      return trans.__('%1 asks to edit a file', who);
    case 'tool':
      return approval.tool === CELL_RUN
        ? trans.__('%1 asks to run a cell', who)
        : trans.__('%1 asks to use %2', who, visible(approval.tool));
    case 'question':
      return trans.__('%1 asks a question', who);
  }
}

/** "Asked to run a command." */
export function askedText(approval: Approval, trans: TranslationBundle): string {
  switch (approval.kind) {
    case 'command':
      return trans.__('Asked to run a command.');
    case 'edit':
      return trans.__('Asked to edit a file.');
    case 'tool':
      return approval.tool === CELL_RUN
        ? trans.__('Asked to run a cell.')
        : trans.__('Asked to use %1.', visible(approval.tool));
    case 'question':
      return trans.__('Asked a question.');
  }
}

/** One line of what is asked for: the command, the file, the question. */
export function gist(approval: Approval): string {
  const text = approval.kind === 'question' ? approval.question : approval.parts[0]?.text;
  return (text || approval.question).trim().split('\n')[0];
}

/** None if the only risk is a run without a sandbox: that has a separate line. */
export function riskText({ risks }: Approval, trans: TranslationBundle): string | null {
  const words = {
    deletes: [trans.__('Deletes files'), trans.__('deletes files')],
    outside: [trans.__('Reaches outside the workspace'), trans.__('reaches outside the workspace')],
    network: [trans.__('Uses the network'), trans.__('uses the network')],
    cut: [trans.__('Is too long to show in full'), trans.__('is too long to show in full')]
  };
  const found = risks.filter((risk): risk is keyof typeof words => risk in words);
  return found.length ? found.map((risk, index) => words[risk][index && 1]).join(', ') : null;
}

/** Behind which walls the run is, or that there are none. */
export function sandboxText(approval: Approval, trans: TranslationBundle): string {
  return approval.isolated ? trans.__('Yes') : trans.__('No: runs as the server’s user');
}

/** Until nobody can answer any more; never less than 0. */
export function secondsLeft(approval: Approval, now: Date): number {
  return Math.max(0, Math.ceil((Date.parse(approval.expires_at) - now.getTime()) / 1000));
}

/** How long the question can still be answered, as a sentence. */
export function expiryText(approval: Approval, now: Date, trans: TranslationBundle): string {
  const seconds = secondsLeft(approval, now);
  const isDenied = !approval.in_terminal && approval.options.some(({ kind }) => kind === 'deny');
  if (seconds === 0) {
    return trans.__('Now');
  }
  return isDenied
    ? trans.__('In %1, then denied', duration(seconds, trans))
    : trans.__('In %1, then left to the terminal', duration(seconds, trans));
}

/** Where there is little room: "Expires in 9 min" */
export function shortExpiry(approval: Approval, now: Date, trans: TranslationBundle): string {
  const seconds = secondsLeft(approval, now);
  return seconds < 60
    ? trans.__('Expires in %1 s', seconds)
    : trans.__('Expires in %1 min', Math.floor(seconds / 60));
}

/** "2 min ago" */
export function askedAgo(approval: Approval, now: Date, trans: TranslationBundle): string {
  const minutes = Math.floor((now.getTime() - Date.parse(approval.asked_at)) / 60_000);
  if (minutes < 1) {
    return trans.__('now');
  }
  return minutes < 60
    ? trans.__('%1 min ago', minutes)
    : trans.__('%1 h ago', Math.floor(minutes / 60));
}

const optionOf = (approval: Approval) =>
  approval.options.find(option => option.id === approval.option);

/** "Allowed once by you", "Allowed by a new rule for 7 days, made by you", "Denied by Ada Lind: “use the replica”", "Denied, nobody answered in 10 min" */
export function outcomeText(
  approval: Approval,
  you: string | null,
  trans: TranslationBundle
): string {
  const option = optionOf(approval);
  const who = whoAnswered(approval, you, trans.__('you'));
  if (approval.state !== 'answered' || !option || !who) {
    return visible(approval.outcome) || trans.__('No longer needed');
  }
  switch (option.kind) {
    case 'allow_once':
      return approval.always_days
        ? trans._n(
            'Allowed by a new rule for %1 day, made by %2',
            'Allowed by a new rule for %1 days, made by %2',
            approval.always_days,
            who
          )
        : trans.__('Allowed once by %1', who);
    case 'allow_session':
      return trans.__('Allowed for this session by %1', who);
    case 'deny':
      return approval.note
        ? trans.__('Denied by %1: “%2”', who, visible(approval.note))
        : trans.__('Denied by %1', who);
    case 'terminal':
      return trans.__('%1 chose to answer in the terminal', who);
    case 'choice':
      return trans.__('Answered “%1” by %2', answerOf(approval, option), who);
  }
}

/** The same as a sentence: "Mia allowed it once." */
export function answeredText(
  approval: Approval,
  you: string | null,
  trans: TranslationBundle
): string {
  const option = optionOf(approval);
  const who = whoAnswered(approval, you, trans.__('You'));
  if (approval.state === 'waiting') {
    return trans.__('It is waiting for an answer.');
  }
  if (approval.state !== 'answered' || !option || !who) {
    return `${visible(approval.outcome) || trans.__('No longer needed')}.`;
  }
  switch (option.kind) {
    case 'allow_once':
      return approval.always_days
        ? trans.__('%1 allowed it with a new rule.', who)
        : trans.__('%1 allowed it once.', who);
    case 'allow_session':
      return trans.__('%1 allowed it for this session.', who);
    case 'deny':
      return approval.note
        ? trans.__('%1 denied it: “%2”', who, visible(approval.note))
        : trans.__('%1 denied it.', who);
    case 'terminal':
      return trans.__('%1 chose to answer in the terminal.', who);
    case 'choice':
      return trans.__('%1 answered “%2”.', who, answerOf(approval, option));
  }
}

/** "denied: use the replica", of what was not done for it; null where it was not denied. */
export function denialText(approval: Approval, trans: TranslationBundle): string | null {
  if (approval.state !== 'answered' || optionOf(approval)?.kind !== 'deny') {
    return null;
  }
  return approval.note ? trans.__('denied: %1', visible(approval.note)) : trans.__('denied');
}

/** What was chosen, or said in words. */
function answerOf({ note }: Approval, { label, takes_note }: AnswerOption): string {
  return visible(takes_note && note ? note.replace(/\n/g, '; ') : label);
}

function whoAnswered({ answered_by: by }: Approval, you: string | null, me: string): string | null {
  return by && (by.username === you ? me : visible(by.display_name || by.username));
}

const ANSWER_ICONS: Readonly<Record<AnswerOption['kind'], StateIcon>> = {
  allow_once: 'success',
  allow_session: 'success',
  choice: 'success',
  deny: 'error',
  terminal: 'skip'
};

/** Of a closed question. */
export function outcomeIcon(approval: Approval): StateIcon {
  switch (approval.state) {
    case 'expired':
      return 'clock';
    case 'answered':
      return ANSWER_ICONS[optionOf(approval)?.kind ?? 'choice'];
    case 'withdrawn':
      return 'skip';
    default:
      return 'question';
  }
}

/** "No requests", "2 waiting for you". Proposals and skills to review count too. */
export function countText(count: number, trans: TranslationBundle): string {
  return count ? trans.__('%1 waiting for you', count) : trans.__('No requests');
}

/** Said at once: "Claude Code asks to run a command. 2 waiting for you." */
export function spokenText(approval: Approval, count: number, trans: TranslationBundle): string {
  return trans.__('%1. %2.', titleText(approval, trans), countText(count, trans));
}

/** In a notification, of the newest one: "notes.md: Claude Code asks to run a command. 2 waiting for you." */
export function newsText(approval: Approval, count: number, trans: TranslationBundle): string {
  const words = count > 1 ? spokenText(approval, count, trans) : `${titleText(approval, trans)}.`;
  const name = approval.path?.split('/').pop();
  return name ? trans.__('%1: %2', visible(name), words) : words;
}

/** "2 waiting for you, 1 for others" */
export function summaryText(mine: number, others: number, trans: TranslationBundle): string {
  if (mine && others) {
    return trans.__('%1 waiting for you, %2 for others', mine, others);
  }
  if (mine) {
    return trans.__('%1 waiting for you', mine);
  }
  return others ? trans.__('%1 waiting for others', others) : '';
}

const MOST_LINES = 12;
const COLUMNS = 56;

/** Whether everything that is asked for can be shown beside a terminal. If not, nothing may be allowed there. */
export function fitsBeside(approval: Approval): boolean {
  const { edits, parts, question } = approval;
  const words = parts.filter(part => !edits.length || !part.changes).map(({ text }) => text);
  const changes = edits.flatMap(edit => lineDiff(edit.old, edit.new)).map(({ text }) => text);
  const lines = [question, ...words, ...changes]
    .flatMap(text => visible(text).split('\n'))
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / COLUMNS)), 0);
  return lines <= MOST_LINES;
}

/** Whether the run that asks is this person's, or a program's on a server where everybody shares one login. */
export function isYours(
  { owner }: Pick<Approval, 'owner'>,
  who: { username: string | null; ownsAll: boolean }
): boolean {
  return owner === who.username || (owner === PROGRAM && who.ownsAll);
}
