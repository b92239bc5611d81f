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
    const query = archived ? { archived } : {};
    return (await this._client.ask('GET', 'plans', { query })).items;
  }

  async queue(): Promise<QueuedStep[]> {
    return (await this._client.ask('GET', 'plan-queue')).items;
  }

  create(plan: NewPlan): Promise<PlanView> {
    return this._client.ask('POST', 'plans', { body: plan });
  }

  import(text: string): Promise<PlanView> {
    return this._client.ask('POST', 'plans/import', { body: { text } });
  }

  plan(id: string): Promise<PlanView> {
    return this._client.ask('GET', 'plans/{id}', { path: { id } });
  }

  edit(id: string, fields: EditPlan): Promise<PlanView> {
    return this._client.ask('PUT', 'plans/{id}', { path: { id }, body: fields });
  }

  delete(id: string): Promise<void> {
    return this._client.ask('DELETE', 'plans/{id}', { path: { id } });
  }

  /** As YAML. */
  async export(id: string): Promise<string> {
    return (await this._client.ask('GET', 'plans/{id}/export', { path: { id } })).text;
  }

  run(id: string): Promise<PlanView> {
    return this._client.ask('POST', 'plans/{id}/run', { path: { id } });
  }

  pause(id: string): Promise<PlanView> {
    return this._client.ask('POST', 'plans/{id}/pause', { path: { id } });
  }

  archive(id: string, archived: boolean): Promise<PlanView> {
    return this._client.ask('POST', 'plans/{id}/archive', { path: { id }, body: { archived } });
  }

  /** `path`: of its checklist, which was renamed or moved. */
  chooseChecklist(id: string, path: string): Promise<PlanView> {
    return this._client.ask('POST', 'plans/{id}/checklist', { path: { id }, body: { path } });
  }

  breakDown(id: string, asked: Breakdown): Promise<Run> {
    return this._client.ask('POST', 'plans/{id}/breakdown', { path: { id }, body: asked });
  }

  decide(id: string, proposalId: string, decision: ProposalDecision): Promise<PlanView> {
    return this._client.ask('POST', 'plans/{id}/proposals/{proposal_id}', {
      path: { id, proposal_id: proposalId },
      body: { decision }
    });
  }

  addSteps(id: string, steps: NewPlanStep[]): Promise<PlanView> {
    return this._client.ask('POST', 'plans/{id}/steps', { path: { id }, body: { steps } });
  }

  step(id: string, stepId: string): Promise<StepDetail> {
    return this._client.ask('GET', 'plans/{id}/steps/{step_id}', { path: { id, step_id: stepId } });
  }

  editStep(id: string, stepId: string, fields: EditPlanStep): Promise<PlanView> {
    return this._client.ask('PUT', 'plans/{id}/steps/{step_id}', {
      path: { id, step_id: stepId },
      body: fields
    });
  }

  removeStep(id: string, stepId: string): Promise<PlanView> {
    return this._client.ask('DELETE', 'plans/{id}/steps/{step_id}', {
      path: { id, step_id: stepId }
    });
  }

  /** `resume`: in the session of its last run. */
  runStep(id: string, stepId: string, body: RunStep): Promise<PlanView> {
    return this._client.ask('POST', 'plans/{id}/steps/{step_id}/run', {
      path: { id, step_id: stepId },
      body: body
    });
  }

  skipStep(id: string, stepId: string): Promise<PlanView> {
    return this._client.ask('POST', 'plans/{id}/steps/{step_id}/skip', {
      path: { id, step_id: stepId }
    });
  }

  /** Out of the queue, or back from being skipped. */
  resetStep(id: string, stepId: string): Promise<PlanView> {
    return this._client.ask('POST', 'plans/{id}/steps/{step_id}/reset', {
      path: { id, step_id: stepId }
    });
  }

  /** The step is skipped, and the new ones take its place. */
  splitStep(id: string, stepId: string, body: SplitStep): Promise<PlanView> {
    return this._client.ask('POST', 'plans/{id}/steps/{step_id}/split', {
      path: { id, step_id: stepId },
      body: body
    });
  }

  report(id: string, stepId: string, report: StepReport): Promise<PlanView> {
    return this._client.ask('POST', 'plans/{id}/steps/{step_id}/report', {
      path: { id, step_id: stepId },
      body: report
    });
  }
}
