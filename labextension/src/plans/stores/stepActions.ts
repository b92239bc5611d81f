/**
 * What a person can do with a step, in each of its states. The server decides; this says only what is offered. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { PlanStep, PlanView } from '../../api/types';
import { hasBegun, isStuck } from './labels';

export type StepVerb =
  | 'run'
  | 'again'
  | 'resume'
  | 'skip'
  | 'unqueue'
  | 'restore'
  | 'report'
  | 'edit'
  | 'split'
  | 'remove';

/** The most likely one first. */
export function verbsOf(
  step: PlanStep,
  plan: Pick<PlanView, 'state'> & { steps?: readonly PlanStep[] }
): StepVerb[] {
  return inEachState(step, plan).filter(
    verb =>
      (verb !== 'split' || maySplit(step, plan.steps)) &&
      (verb !== 'run' || !waitsForStuck(step, plan.steps))
  );
}

/** Whether it cannot begin before a person has continued a failed or blocked step. */
function waitsForStuck(step: PlanStep, steps: readonly PlanStep[] = []): boolean {
  if (!steps.some(isStuck)) {
    return false;
  }
  const byId = new Map(steps.map(each => [each.id, each]));
  const needed = new Set(step.depends_on);
  for (const id of needed) {
    const found = byId.get(id);
    if (found && isStuck(found)) {
      return true;
    }
    if (found && !hasBegun(found)) {
      found.depends_on.forEach(each => needed.add(each)); // a set is walked to what is added meanwhile
    }
  }
  return false;
}

/** Not a task of a checklist, whose box nobody would check; nor a step on which one depends that has begun. */
function maySplit({ id, task }: PlanStep, steps: readonly PlanStep[] = []): boolean {
  const isBegun = (step: PlanStep) => step.depends_on.includes(id) && hasBegun(step);
  return task === null && !steps.some(isBegun);
}

function inEachState(step: PlanStep, plan: Pick<PlanView, 'state'>): StepVerb[] {
  switch (step.state) {
    case 'pending':
      return ['run', 'skip', 'report', 'edit', 'split', 'remove'];
    case 'queued':
      return plan.state === 'running'
        ? ['unqueue', 'skip', 'report', 'edit', 'split', 'remove']
        : ['run', 'unqueue', 'skip', 'report', 'edit', 'split', 'remove'];
    case 'running':
      return step.run_id === null ? ['skip', 'report'] : []; // between two runs, the next of which may never be queued
    case 'failed':
    case 'blocked':
      return ['again', ...resume(step), 'skip', 'report', 'edit', 'split', 'remove'];
    case 'done':
      return ['again', 'edit', 'remove'];
    case 'skipped':
      return ['restore', 'run', 'edit', 'remove'];
  }
}

/** Only a CLI has a session that can continue. */
function resume({ command, work_run_id: last }: PlanStep): StepVerb[] {
  return last !== null && command.length === 0 ? ['resume'] : [];
}

export function verbLabel(verb: StepVerb, trans: TranslationBundle): string {
  switch (verb) {
    case 'run':
      return trans.__('Run');
    case 'again':
      return trans.__('Run again');
    case 'resume':
      return trans.__('Continue');
    case 'skip':
      return trans.__('Skip');
    case 'unqueue':
      return trans.__('Remove from the queue');
    case 'restore':
      return trans.__('Restore');
    case 'report':
      return trans.__('Report as done…');
    case 'edit':
      return trans.__('Edit…');
    case 'split':
      return trans.__('Split…');
    case 'remove':
      return trans.__('Remove…');
  }
}

/** What it does, in a sentence; empty where the label says it. */
export function verbMeaning(verb: StepVerb, trans: TranslationBundle): string {
  switch (verb) {
    case 'run':
      return trans.__('Start this step as soon as the steps that it depends on are done.');
    case 'again':
      return trans.__('Start this step again, in a new session.');
    case 'resume':
      return trans.__('Start this step again, in the session of its last run.');
    case 'skip':
      return trans.__('The steps that depend on this step can begin without it.');
    case 'split':
      return trans.__('Replace this step with several smaller ones.');
    case 'report':
      return trans.__('Record that this step was done elsewhere.');
    default:
      return '';
  }
}
