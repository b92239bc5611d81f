/**
 * Requests about plans and their steps. They reject as those of the client do.
 */
import type { CabinetClient } from './client';
import type {
  Breakdown,
  EditPlan,
  EditPlanStep,
  NewPlan,
  NewPlanStep,
  PlanLine,
  PlanView,
  QueuedStep,
  Run,
  RunStep,
  SplitStep,
  StepDetail,
  StepReport
} from './types';

export type ProposalDecision = 'apply' | 'refuse' | 'undo';

/** One method for each route. Those that change a plan resolve to the plan after the change. */
export class PlanRoutes {
  constructor(private readonly _client: CabinetClient) {}

  async list(archived: boolean): Promise<PlanLine[]> {
    const query = archived ? '?archived=true' : '';
    return (await this._client.ask<{ items: PlanLine[] }>('GET', `plans${query}`)).items;
  }

  async queue(): Promise<QueuedStep[]> {
    return (await this._client.ask<{ items: QueuedStep[] }>('GET', 'plan-queue')).items;
  }

  create(plan: NewPlan): Promise<PlanView> {
    return this._client.ask('POST', 'plans', plan);
  }

  import(text: string): Promise<PlanView> {
    return this._client.ask('POST', 'plans/import', { text });
  }

  plan(id: string): Promise<PlanView> {
    return this._client.ask('GET', pathOf(id));
  }

  edit(id: string, fields: EditPlan): Promise<PlanView> {
    return this._client.ask('PUT', pathOf(id), fields);
  }

  delete(id: string): Promise<void> {
    return this._client.remove(pathOf(id));
  }

  /** As YAML. */
  async export(id: string): Promise<string> {
    return (await this._client.ask<{ text: string }>('GET', pathOf(id, 'export'))).text;
  }

  run(id: string): Promise<PlanView> {
    return this._client.ask('POST', pathOf(id, 'run'), {});
  }

  pause(id: string): Promise<PlanView> {
    return this._client.ask('POST', pathOf(id, 'pause'), {});
  }

  archive(id: string, archived: boolean): Promise<PlanView> {
    return this._client.ask('POST', pathOf(id, 'archive'), { archived });
  }

  /** `path`: of its checklist, which was renamed or moved. */
  chooseChecklist(id: string, path: string): Promise<PlanView> {
    return this._client.ask('POST', pathOf(id, 'checklist'), { path });
  }

  breakDown(id: string, asked: Breakdown): Promise<Run> {
    return this._client.ask('POST', pathOf(id, 'breakdown'), asked);
  }

  decide(id: string, proposalId: string, decision: ProposalDecision): Promise<PlanView> {
    return this._client.ask('POST', pathOf(id, 'proposals', proposalId), { decision });
  }

  addSteps(id: string, steps: NewPlanStep[]): Promise<PlanView> {
    return this._client.ask('POST', pathOf(id, 'steps'), { steps });
  }

  step(id: string, stepId: string): Promise<StepDetail> {
    return this._client.ask('GET', stepPath(id, stepId));
  }

  editStep(id: string, stepId: string, fields: EditPlanStep): Promise<PlanView> {
    return this._client.ask('PUT', stepPath(id, stepId), fields);
  }

  removeStep(id: string, stepId: string): Promise<PlanView> {
    return this._client.ask('DELETE', stepPath(id, stepId));
  }

  /** `resume`: in the session of its last run. */
  runStep(id: string, stepId: string, body: RunStep): Promise<PlanView> {
    return this._client.ask('POST', stepPath(id, stepId, 'run'), body);
  }

  skipStep(id: string, stepId: string): Promise<PlanView> {
    return this._client.ask('POST', stepPath(id, stepId, 'skip'), {});
  }

  /** Out of the queue, or back from being skipped. */
  resetStep(id: string, stepId: string): Promise<PlanView> {
    return this._client.ask('POST', stepPath(id, stepId, 'reset'), {});
  }

  /** The step is skipped, and the new ones take its place. */
  splitStep(id: string, stepId: string, body: SplitStep): Promise<PlanView> {
    return this._client.ask('POST', stepPath(id, stepId, 'split'), body);
  }

  report(id: string, stepId: string, report: StepReport): Promise<PlanView> {
    return this._client.ask('POST', stepPath(id, stepId, 'report'), report);
  }
}

function pathOf(id: string, ...rest: string[]): string {
  return ['plans', id, ...rest].map(encodeURIComponent).join('/');
}

function stepPath(id: string, stepId: string, ...rest: string[]): string {
  return pathOf(id, 'steps', stepId, ...rest);
}
