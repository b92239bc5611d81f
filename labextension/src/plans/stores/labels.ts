/**
 * What the states of plans and steps are called, and what a line says of them. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type {
  PlanCounts,
  PlanLine,
  PlanProposal,
  PlanStep,
  PlanView,
  RunState,
  StepRun
} from '../../api/types';
import { stateLabel } from '../../runs';
import type { StateIcon } from '../../shared/stateIcon';

export type PlanState = PlanView['state'];
export type StepState = PlanStep['state'];

/** `none`: a plan or a step that nobody has started; `pause`: a plan that somebody has paused. */
export type PlanIcon = StateIcon | 'none' | 'pause';

interface ILabel {
  label: string;
  icon: PlanIcon;
}

export function planLabel(state: PlanState, trans: TranslationBundle): ILabel {
  switch (state) {
    case 'draft':
      return { label: trans.__('Draft'), icon: 'none' };
    case 'running':
      return { label: trans.__('Running'), icon: 'ring' };
    case 'paused':
      return { label: trans.__('Paused'), icon: 'pause' };
    case 'done':
      return { label: trans.__('Done'), icon: 'success' };
    case 'failed':
      return { label: trans.__('Failed'), icon: 'error' };
    case 'blocked':
      return { label: trans.__('Blocked'), icon: 'warning' };
  }
}

/** Whether the steps that depend on it can begin. */
function isSettled({ state }: PlanStep): boolean {
  return state === 'done' || state === 'skipped';
}

/** Whether its dependencies can no longer be changed. */
export function hasBegun({ state }: PlanStep): boolean {
  return state !== 'pending' && state !== 'queued';
}

/** Whether only a person can continue it. */
export function isStuck({ state }: PlanStep): boolean {
  return state === 'failed' || state === 'blocked';
}

/** A step can be underway while its run is not, as while all agents are paused: it waits then. */
export function stepLabel(
  { state, waits }: Pick<PlanStep, 'state' | 'waits'>,
  trans: TranslationBundle
): ILabel {
  if (state === 'running' && waits) {
    return { label: trans.__('Waiting'), icon: 'clock' };
  }
  switch (state) {
    case 'pending':
      return { label: trans.__('Not started'), icon: 'none' };
    case 'queued':
      return { label: trans.__('Queued'), icon: 'clock' };
    case 'running':
      return { label: trans.__('Running'), icon: 'ring' };
    case 'done':
      return { label: trans.__('Done'), icon: 'success' };
    case 'failed':
      return { label: trans.__('Failed'), icon: 'error' };
    case 'blocked':
      return { label: trans.__('Blocked'), icon: 'warning' };
    case 'skipped':
      return { label: trans.__('Skipped'), icon: 'skip' };
  }
}

/** What a step is doing, or its run was for. */
export function phaseLabel(phase: StepRun['phase'], trans: TranslationBundle): string {
  switch (phase) {
    case 'work':
      return trans.__('Work');
    case 'verify':
      return trans.__('Verify command');
    case 'commit':
      return trans.__('Commit');
    case 'handoff':
      return trans.__('Handoff');
    case 'evaluate':
      return trans.__('Evaluation');
  }
}

/** What happens to a step when its run is stopped in this phase. */
export function stopMeaning(phase: StepRun['phase'] | null, trans: TranslationBundle): string {
  switch (phase) {
    case 'handoff':
      return trans.__('Stop this run. The end of the step’s answer becomes the handoff.');
    case 'evaluate':
      return trans.__('Stop this run. The plan stays as it is.');
    default:
      return trans.__('Stop this run. The step fails and is not retried.');
  }
}

/** Which attempt at the work it was; empty for the first one. */
export function executionLabel(execution: StepRun['execution'], trans: TranslationBundle): string {
  switch (execution) {
    case 'primary':
      return '';
    case 'retry':
      return trans.__('again');
    case 'continuation':
      return trans.__('continued');
  }
}

/** How a run of a step ended. If it succeeded without doing the work, both are said. */
export function stepRunLabel(
  { problem, state }: Pick<StepRun, 'problem' | 'state'>,
  trans: TranslationBundle
): { label: string; icon: StateIcon } {
  switch (problem) {
    case 'reported_failed':
      return { label: trans.__('Ended, and reported that the step failed'), icon: 'error' };
    case 'reported_blocked':
      return { label: trans.__('Ended, and reported that the step is blocked'), icon: 'warning' };
    case 'no_result':
      return { label: trans.__('Ended without a result'), icon: 'error' };
    default:
      return stateLabel((state || 'running') as RunState, trans);
  }
}

/** "Failed", "Running: Verify command". */
export function stepStateText(
  step: Pick<PlanStep, 'phase' | 'state' | 'waits'>,
  trans: TranslationBundle
): string {
  const { phase, state } = step;
  const { label } = stepLabel(step, trans);
  return state === 'running' && phase !== null && phase !== 'work'
    ? trans.__('%1: %2', label, phaseLabel(phase, trans))
    : label;
}

/** What the button that starts a plan does: if nothing else can begin, the server runs again what has failed. */
export function runLabel(
  { steps }: Pick<PlanView, 'steps'>,
  trans: TranslationBundle
): { label: string; title: string } {
  const settled = new Set(steps.filter(isSettled).map(({ id }) => id));
  const canBegin = (step: PlanStep) =>
    !hasBegun(step) && step.depends_on.every(id => settled.has(id));
  return steps.some(isStuck) && !steps.some(canBegin)
    ? {
        label: trans.__('Retry'),
        title: trans.__(
          'Run the failed and blocked steps again, then the steps that wait for them.'
        )
      }
    : { label: trans.__('Run'), title: trans.__('Start all remaining steps.') };
}

/** Why a plan cannot be started, as a sentence; null: it can. A checklist may have new tasks. */
export function whyNotRun(
  { checklist, steps }: Pick<PlanView, 'checklist' | 'steps'>,
  trans: TranslationBundle
): string | null {
  return steps.length || checklist ? null : trans.__('This plan has no steps yet. Add one first.');
}

/** That the file of a plan is gone. */
export function missingText(path: string, trans: TranslationBundle): string {
  return trans.__('The checklist %1 is missing. It was renamed, moved or deleted.', path);
}

/** Why a step waits, how it ended, or what a person has to do; empty if there is nothing to say. */
export function stepReason(step: PlanStep): string {
  switch (step.state) {
    case 'queued':
      return step.reason ? `${step.waits} ${step.reason}` : step.waits; // it is tried again
    case 'running':
      return step.waits;
    case 'blocked':
      return step.blocker || step.reason;
    default:
      return step.reason;
  }
}

/** The states of steps in the order of the bar, and those that the text names after "done". */
export const BAR: readonly StepState[] = [
  'done',
  'skipped',
  'running',
  'failed',
  'blocked',
  'queued',
  'pending'
];

export function total(counts: PlanCounts): number {
  return BAR.reduce((sum, state) => sum + counts[state], 0);
}

/**
 * "2 of 5 done, 1 failed"; what is zero is left out. Steps that wait do not count as running here, and in a paused plan
 * a step that is running finishes first.
 */
export function countsText(
  { counts, state }: Pick<PlanLine, 'counts' | 'state'>,
  trans: TranslationBundle
): string {
  const all = total(counts);
  if (all === 0) {
    return trans.__('No steps yet');
  }
  const running = counts.running - counts.waiting;
  const words: [number, string][] = [
    [counts.skipped, trans.__('%1 skipped', counts.skipped)],
    [
      running,
      state === 'paused' ? trans.__('%1 still running', running) : trans.__('%1 running', running)
    ],
    [counts.waiting, trans.__('%1 waiting', counts.waiting)],
    [counts.failed, trans.__('%1 failed', counts.failed)],
    [counts.blocked, trans.__('%1 blocked', counts.blocked)],
    [counts.queued, trans.__('%1 queued', counts.queued)]
  ];
  const rest = words.filter(([count]) => count > 0).map(([, text]) => text);
  return [trans.__('%1 of %2 done', counts.done, all), ...rest].join(', ');
}

export function proposalLabel({ state }: PlanProposal, trans: TranslationBundle): string {
  switch (state) {
    case 'open':
      return trans.__('Waiting for your decision');
    case 'applied':
      return trans.__('Applied');
    case 'refused':
      return trans.__('Rejected');
    case 'undone':
      return trans.__('Undone');
  }
}
