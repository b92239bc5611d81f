/**
 * What kinds of runs, directives, triggers and files are called on an agent's page. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Effect, Run, Task } from '../../../api/types';
import { shownAnswer } from '../../../runs';
import type { StateIcon } from '../../../shared/stateIcon';

/** Those that an agent's history can be filtered by. */
export const KINDS = [
  'heartbeat',
  'message',
  'channel_message',
  'play',
  'reflection',
  'reply',
  'step',
  'cell',
  'manual'
] as const;

export function kindWord(kind: string, trans: TranslationBundle): string {
  const words: Record<string, string> = {
    heartbeat: trans.__('Heartbeat'),
    message: trans.__('Message'),
    channel_message: trans.__('Chat'),
    play: trans.__('Play'),
    reflection: trans.__('Reflection'),
    reply: trans.__('Reply'),
    step: trans.__('Step'),
    verify: trans.__('Check'),
    commit: trans.__('Commit'),
    handoff: trans.__('Handoff'),
    evaluate: trans.__('Evaluation'),
    breakdown: trans.__('Breakdown'),
    next_prompts: trans.__('Next prompts'),
    cell: trans.__('Cell'),
    editor: trans.__('Edit'),
    manual: trans.__('Instruction')
  };
  return words[kind] ?? kind;
}

const GIST_CHARACTERS = 200;
const FENCE = /^```/m;

/** The answer without the block of directives at its end. */
export function withoutDirectives(answer: string): string {
  return answer.split(FENCE)[0];
}

/** An answer for people, without its block of directives. */
export function answerWords(answer: string, trans: TranslationBundle): string {
  return shownAnswer(withoutDirectives(answer), trans);
}

/** A run in one line: its failure, else its answer or its instruction, without the block of directives. */
export function gistOf(run: Run, trans: TranslationBundle): string {
  const answer = run.result && answerWords(run.result.text, trans);
  const said = [run.instruction, answer];
  const [first, second] = run.kind === 'heartbeat' ? said.reverse() : said;
  const gist = run.failure?.message || first?.trim() || second?.trim() || run.reason;
  return (gist ?? '').replace(/\s+/g, ' ').slice(0, GIST_CHARACTERS);
}

/** How a play is called in the chain of what has led to a run. */
export function effectLabel(
  { state }: Pick<Effect, 'state'>,
  trans: TranslationBundle
): { label: string; icon: StateIcon } {
  switch (state) {
    case 'applied':
      return { label: trans.__('Applied'), icon: 'success' };
    case 'refused':
      return { label: trans.__('Refused'), icon: 'error' };
    case 'held':
      return { label: trans.__('Waiting for you'), icon: 'question' };
    case 'unknown':
      return { label: trans.__('Unknown'), icon: 'warning' };
    default:
      return { label: trans.__('Being applied'), icon: 'clock' };
  }
}

/** "GOAL_UPDATE" and the rest, as the agent has written it. */
export function directiveParts(directive: string): { word: string; rest: string } {
  const found = /^\s*([A-Z][A-Z_]*)\b\s*:?\s*([\s\S]*)$/.exec(directive);
  return found ? { word: found[1], rest: found[2] } : { word: '', rest: directive };
}

export const TASK_STATES = ['pending', 'in_progress', 'completed', 'failed'] as const;

export function taskWord(status: Task['status'], trans: TranslationBundle): string {
  switch (status) {
    case 'pending':
      return trans.__('To do');
    case 'in_progress':
      return trans.__('In progress');
    case 'completed':
      return trans.__('Completed');
    case 'failed':
      return trans.__('Failed');
  }
}

/** Where a task can be moved to: open ones anywhere, ended ones nowhere. */
export function movesOf({ status }: Pick<Task, 'status'>): readonly Task['status'][] {
  return status === 'completed' || status === 'failed'
    ? []
    : TASK_STATES.filter(each => each !== status);
}
