/**
 * One plan with its steps, and what a person does with them. Kept up by the server's events.
 */
import { ApiError } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { PlanRoutes } from '../../api/planRoutes';
import type { Breakdown, CabinetEvent, PlanStep, PlanView, StepDetail } from '../../api/types';
import { LiveStore, reasonText } from '../../shared/liveStore';

/** Milliseconds in which changes are read together. */
export const TOGETHER = 300;

const RUN_EVENTS: readonly string[] = ['run_started', 'run_waiting', 'run_resumed', 'run_finished'];

/** All agents were paused or resumed. */
const WORK_EVENTS: readonly string[] = ['work_paused', 'work_resumed'];

/** After these, why a step waits can be different. */
export const WAIT_EVENTS: readonly string[] = [...RUN_EVENTS, ...WORK_EVENTS];

export class PlanStore extends LiveStore {
  constructor(
    private readonly _routes: PlanRoutes,
    events: EventStream,
    readonly id: string
  ) {
    super(events);
    this.keepUp();
  }

  /** Null until the first answer. What was read before a break stays. */
  plan: PlanView | null = null;
  /** Whether the server has no such plan, or none that this person may see. */
  isGone = false;
  /** Whether somebody wanted to see a step that is no longer there. */
  isStepGone = false;
  /** Why the server has refused what the person asked for last. */
  refusal: string | null = null;
  /** The step that is shown; null: none. */
  stepId: string | null = null;
  /** What it has left and receives; null until it is read. */
  detail: StepDetail | null = null;

  get step(): PlanStep | null {
    return this.plan?.steps.find(({ id }) => id === this.stepId) ?? null;
  }

  titleOf(stepId: string): string {
    return this.plan?.steps.find(({ id }) => id === stepId)?.title ?? '';
  }

  /** Whether something that the person asked for is underway: of a step, or of the plan as `''`. */
  isBusy(stepId = ''): boolean {
    return this._busy.has(stepId);
  }

  async load(): Promise<void> {
    const detail = this._readDetail();
    await this.latest(
      () => this._routes.plan(this.id),
      plan => {
        this.take(plan);
        this.isGone = false;
      },
      reason => {
        this.isGone = reason instanceof ApiError && reason.status === 404;
        this.problem = this.isGone ? null : this.problem;
      }
    );
    await detail;
    this.tell();
  }

  /** Show a step that a link leads to, or say that it is gone. */
  async follow(stepId: string): Promise<void> {
    this.isStepGone = false;
    this.open(stepId);
    await this.load();
    this.isStepGone = this.plan !== null && !this.plan.steps.some(({ id }) => id === stepId);
    this.tell();
  }

  /** Show a step; null: none. */
  open(stepId: string | null): void {
    if (stepId !== this.stepId) {
      this.stepId = stepId;
      this.detail = null;
      this.isStepGone = false;
      this.tell();
      void this._readDetail();
    }
  }

  /** What a person has changed in a form. What was refused before no longer matters. */
  takeChange(plan: PlanView): void {
    this.refusal = null;
    this.take(plan);
  }

  /** An answer of the server. An older one than what is known changes nothing. */
  take(plan: PlanView): void {
    if (this.plan !== null && plan.number < this.plan.number) {
      return;
    }
    this.plan = plan;
    if (this.stepId !== null && this.step === null) {
      this.open(null); // it was removed
    }
    this.tell();
  }

  /** Ask for a change. False if it was refused: `refusal` says why. `stepId`: of the step that it is about. */
  async change(
    ask: (routes: PlanRoutes, planId: string) => Promise<PlanView | void>,
    stepId = ''
  ): Promise<boolean> {
    if (this._busy.has(stepId)) {
      return false;
    }
    this._busy.add(stepId);
    this.refusal = null;
    this.tell();
    try {
      const plan = await ask(this._routes, this.id);
      if (plan) {
        this.take(plan);
      }
      return true;
    } catch (reason) {
      this.refusal = reasonText(reason);
      return false;
    } finally {
      this._busy.delete(stepId);
      this.tell();
    }
  }

  /** The same for what needs the checklist: if it was refused, the plan is read again, because the file may be missing. */
  async changeWithFile(ask: Parameters<PlanStore['change']>[0]): Promise<void> {
    if (!(await this.change(ask))) {
      await this.load();
    }
  }

  /** Ask an agent for steps. Rejects where the server refuses. */
  async breakDown(asked: Breakdown): Promise<void> {
    await this._routes.breakDown(this.id, asked);
    await this.load();
  }

  dismissRefusal(): void {
    this.refusal = null;
    this.isStepGone = false;
    this.tell();
  }

  private async _readDetail(): Promise<void> {
    const { stepId } = this;
    if (stepId === null) {
      return;
    }
    const detail = await this._routes.step(this.id, stepId).catch(() => this.detail);
    if (stepId === this.stepId) {
      this.detail = detail;
      this.tell();
    }
  }

  protected onEvent(event: CabinetEvent): void {
    if (this._concerns(event)) {
      this.rereadSoon(TOGETHER);
    }
  }

  protected reread(): void {
    void this.load();
  }

  /** Why a step waits can change with the state of its run, and no event of the plan says so. */
  private _concerns(event: CabinetEvent): boolean {
    if (event.type === 'plan_changed') {
      return event.plan_id === this.id;
    }
    if (WORK_EVENTS.includes(event.type)) {
      return this.plan?.state === 'running';
    }
    if (!('run' in event) || !RUN_EVENTS.includes(event.type)) {
      return false;
    }
    const { id } = event.run;
    return this.plan?.steps.some(({ run_id }) => run_id === id) ?? false;
  }

  private readonly _busy = new Set<string>();
}
