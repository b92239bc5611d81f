/**
 * What the forms of plans and steps begin with, and what they send. Pure.
 */
import type {
  EditPlan,
  EditPlanStep,
  PermissionMode,
  PlanStep,
  PlanView,
  NewPlanStep,
  SplitStep
} from '../../api/types';

/** Who works: `runtime:claude`, `agent:scout`; empty: whoever it is without a choice. */
export type Worker = string;

interface IWorker {
  agent: string | null;
  runtime: string | null;
}

export function workerOf({ agent, runtime }: IWorker): Worker {
  if (agent !== null) {
    return `agent:${agent}`;
  }
  return runtime === null ? '' : `runtime:${runtime}`;
}

export function chosenWorker(worker: Worker): IWorker {
  const [kind, name] = [worker.split(':', 1)[0], worker.slice(worker.indexOf(':') + 1)];
  return { agent: kind === 'agent' ? name : null, runtime: kind === 'runtime' ? name : null };
}

/** A program and its arguments, one in each line. */
export function argumentsOf(text: string): string[] {
  return text.split(/\r?\n/).filter(line => line !== '');
}

/** Below the server's root. */
export function belowRoot(text: string): string {
  return text.trim().replace(/^[/]+/, '');
}

export interface IPlanDraft {
  title: string;
  description: string;
  folder: string;
  worker: Worker;
  /** Empty: the server's default, or that of the agent. */
  permissionMode: PermissionMode | '';
  isIsolated: boolean;
  evaluation: PlanView['evaluation'];
  maxSteps: number;
  /** To git. */
  isCommitted: boolean;
  /** Limits, as text: US dollars, runs, minutes. Empty: none. */
  maxCost: string;
  maxRuns: string;
  maxMinutes: string;
  /** A Markdown file that a new plan works through. Empty: none. */
  checklist: string;
  /** Of the guidelines that each task of the checklist receives. */
  domain: Domain;
  /** A program that each task of the checklist has to pass, one argument in each line. */
  verify: string;
}

export type Domain = NonNullable<PlanView['checklist']>['domain'];

export const MOST_STEPS = 500;
export const DEFAULT_STEPS = 100;

export function planDraft(plan: PlanView | null): IPlanDraft {
  return plan === null
    ? {
        title: '',
        description: '',
        folder: '',
        worker: '',
        permissionMode: '',
        isIsolated: false,
        evaluation: 'off',
        maxSteps: DEFAULT_STEPS,
        isCommitted: false,
        maxCost: '',
        maxRuns: '',
        maxMinutes: '',
        checklist: '',
        domain: 'general',
        verify: ''
      }
    : {
        title: plan.title,
        description: plan.description,
        folder: plan.cwd === '.' ? '' : plan.cwd,
        worker: workerOf(plan),
        permissionMode: plan.permission_mode ?? '',
        isIsolated: plan.isolate ?? false,
        evaluation: plan.evaluation,
        maxSteps: plan.max_steps,
        isCommitted: plan.commit,
        maxCost: String(plan.max_cost_usd ?? ''),
        maxRuns: String(plan.max_runs ?? ''),
        maxMinutes: String(plan.max_minutes ?? ''),
        checklist: plan.checklist?.path ?? '',
        domain: plan.checklist?.domain ?? 'general',
        verify: plan.checklist?.verify.join('\n') ?? ''
      };
}

/** The fields that the form of a plan folds away. */
export const RARE_FIELDS = [
  'folder',
  'permissionMode',
  'isIsolated',
  'maxSteps',
  'isCommitted',
  'maxRuns',
  'maxMinutes'
] as const;

/** Whether a plan differs from a new one in what the form folds away. */
export function hasRareSettings(draft: IPlanDraft): boolean {
  const usual = planDraft(null);
  return RARE_FIELDS.some(field => draft[field] !== usual[field]);
}

/** Null: no limit. A text that is no number gives 0, which the server refuses with what it expects. */
export function limitOf(text: string): number | null {
  const number = Number(text.trim().replace(',', '.'));
  return text.trim() === '' ? null : Number.isFinite(number) ? number : 0;
}

const LONGEST_TITLE = 200;

/** A plan that works through a file. `title`: for people. */
export function checklistDraft(path: string, title: string): IPlanDraft {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return { ...planDraft(null), title: title.slice(0, LONGEST_TITLE), folder, checklist: path };
}

function newChecklist({ checklist, domain, verify }: IPlanDraft): EditPlan['checklist'] {
  const path = belowRoot(checklist);
  return path ? { path, domain, verify: argumentsOf(verify), retries: 2 } : null;
}

/** `before`: the plan that is edited. Its model stays with its runtime. */
export function planFields(draft: IPlanDraft, before: PlanView | null): EditPlan {
  const isSameWorker = before !== null && workerOf(before) === draft.worker;
  const { agent, runtime } = chosenWorker(draft.worker);
  return {
    title: draft.title.trim(),
    description: draft.description.trim(),
    cwd: belowRoot(draft.folder) || '.',
    agent,
    runtime,
    model: isSameWorker ? before.model : null,
    permission_mode: agent === null ? draft.permissionMode || null : null,
    isolate: draft.isIsolated || null,
    evaluation: draft.evaluation,
    max_steps: draft.maxSteps,
    commit: draft.isCommitted,
    max_cost_usd: limitOf(draft.maxCost),
    max_runs: limitOf(draft.maxRuns),
    max_minutes: limitOf(draft.maxMinutes),
    checklist: before === null ? newChecklist(draft) : before.checklist
  };
}

export interface IStepDraft {
  title: string;
  description: string;
  prompt: string;
  dependsOn: readonly string[];
  worker: Worker;
  folder: string;
  command: string;
  verify: string;
  retries: number;
}

export const MOST_RETRIES = 5;

export function stepDraft(step: PlanStep | null): IStepDraft {
  return step === null
    ? {
        title: '',
        description: '',
        prompt: '',
        dependsOn: [],
        worker: '',
        folder: '',
        command: '',
        verify: '',
        retries: 1
      }
    : {
        title: step.title,
        description: step.description,
        prompt: step.prompt,
        dependsOn: step.depends_on,
        worker: workerOf(step),
        folder: step.cwd ?? '',
        command: step.command.join('\n'),
        verify: step.verify.join('\n'),
        retries: step.retries
      };
}

export function stepFields(draft: IStepDraft): EditPlanStep & NewPlanStep {
  const command = argumentsOf(draft.command);
  const worker = command.length ? { agent: null, runtime: null } : chosenWorker(draft.worker);
  return {
    title: draft.title.trim(),
    description: draft.description.trim(),
    prompt: draft.prompt,
    depends_on: [...draft.dependsOn],
    ...worker,
    cwd: belowRoot(draft.folder) || null,
    command,
    verify: argumentsOf(draft.verify),
    retries: draft.retries
  };
}

/** One of the steps into which another one is split. */
export interface IPartDraft {
  /** Stays with it when another one is removed. */
  key: number;
  title: string;
  prompt: string;
}

export interface ISplitDraft {
  parts: readonly IPartDraft[];
  /** Whether each depends on the one before. */
  isInOrder: boolean;
}

/** The server refuses fewer. */
export const FEWEST_PARTS = 2;

export function splitDraft(): ISplitDraft {
  const parts = Array.from({ length: FEWEST_PARTS }, (_, key) => ({ key, title: '', prompt: '' }));
  return { parts, isInOrder: true };
}

export function withPart(parts: readonly IPartDraft[]): readonly IPartDraft[] {
  const key = Math.max(...parts.map(part => part.key)) + 1;
  return [...parts, { key, title: '', prompt: '' }];
}

/** Unless too few would be left. */
export function withoutPart(parts: readonly IPartDraft[], key: number): readonly IPartDraft[] {
  return parts.length > FEWEST_PARTS ? parts.filter(part => part.key !== key) : parts;
}

export function splitFields({ isInOrder, parts }: ISplitDraft): SplitStep {
  return {
    in_order: isInOrder,
    steps: parts.map(({ prompt, title }) => ({ title: title.trim(), prompt }))
  };
}

/** The steps on which one can depend: not itself, and none that waits for it. Without a step, all. */
export function possibleDependencies(
  steps: readonly PlanStep[],
  stepId: string | null
): readonly PlanStep[] {
  if (stepId === null) {
    return steps;
  }
  const dependents = new Map<string, string[]>();
  steps.forEach(({ depends_on, id }) =>
    depends_on.forEach(each => dependents.set(each, [...(dependents.get(each) ?? []), id]))
  );
  const behind = new Set([stepId]);
  for (const id of behind) {
    dependents.get(id)?.forEach(each => behind.add(each)); // a set is walked to what is added meanwhile
  }
  return steps.filter(({ id }) => !behind.has(id));
}
