/**
 * The plans, the one that is shown, and the form that a person has opened. Kept up while it is shown.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import { PlanRoutes } from '../../api/planRoutes';
import type { CabinetEvent, PlanLine, PlanView, QueuedStep } from '../../api/types';
import { LiveStore, reasonText } from '../../shared/liveStore';
import { PlanStore, TOGETHER, WAIT_EVENTS } from './plan';

/** A form over the tab. `checklist`: the path of the file that a new plan works through. `step`: the step that is edited, reported or split; without one it is new. */
export type PlanForm =
  | { kind: 'plan'; plan: PlanView | null; checklist?: string }
  | { kind: 'import' }
  | { kind: 'checklist' }
  | { kind: 'step'; stepId: string | null }
  | { kind: 'report'; stepId: string }
  | { kind: 'split'; stepId: string };

export type PlansPage = 'plans' | 'queue';

export class PlansStore extends LiveStore {
  constructor(client: CabinetClient, events: EventStream) {
    super(events);
    this.routes = new PlanRoutes(client);
    this.keepUp();
  }

  readonly routes: PlanRoutes;
  /** The last changed first; null until the first answer. */
  items: PlanLine[] | null = null;
  isArchived = false;
  /** Whether every plan is archived, so that the list is empty although there are plans. */
  areAllArchived = false;
  /** The plan that is shown. */
  open: PlanStore | null = null;
  form: PlanForm | null = null;
  page: PlansPage = 'plans';
  /** The running steps of all plans, then the queued ones. Read while its page is shown. */
  queue: QueuedStep[] | null = null;
  queueProblem: string | null = null;
  /** Whether the graph is drawn above the steps. */
  isGraphShown = true;

  override dispose(): void {
    this.open?.dispose();
    super.dispose();
  }

  async refresh(): Promise<void> {
    const { isArchived } = this;
    const read = async () => {
      const items = await this.routes.list(isArchived);
      const areAllArchived =
        !isArchived && items.length === 0 && (await this.routes.list(true)).length > 0;
      return { items, areAllArchived };
    };
    await this.latest(read, answer => Object.assign(this, answer));
  }

  async readQueue(): Promise<void> {
    try {
      this.queue = await this.routes.queue();
      this.queueProblem = null;
    } catch (reason) {
      this.queueProblem = reasonText(reason);
    }
    this.tell();
  }

  async turnTo(page: PlansPage): Promise<void> {
    this.page = page;
    this.tell();
    if (page === 'queue') {
      await this.readQueue();
    }
  }

  /** Show a step of the queue on the page of its plan. */
  follow({ plan_id, step }: QueuedStep): void {
    this.page = 'plans';
    this.choose(plan_id);
    this.open!.open(step.id);
    this.tell();
  }

  /** Show a plan that a link leads to, and one of its steps. Both may be gone. */
  async showPlan(planId: string, stepId: string | null): Promise<void> {
    this.page = 'plans';
    this.choose(planId);
    this.tell();
    const one = this.open!;
    await (stepId === null ? one.load() : one.follow(stepId));
  }

  /** Show the plan that works through a file, or the form for one. An open form stays: what is written there is not lost. */
  async workThrough(checklist: string): Promise<void> {
    this.page = 'plans';
    this.tell();
    const plans = await this.routes.list(false).catch(() => []); // the form says what the server refuses
    const found = plans.find(plan => plan.checklist === checklist);
    if (found) {
      await this.showPlan(found.id, null);
    } else if (this.form === null) {
      this.show({ kind: 'plan', plan: null, checklist });
    }
  }

  /** List the archived plans instead of the others. The present list stays until the answer comes. */
  async showArchived(isArchived: boolean): Promise<void> {
    this.isArchived = isArchived;
    this.tell();
    await this.refresh();
  }

  /** Show a plan; null: none. */
  choose(id: string | null): void {
    if (id === (this.open?.id ?? null)) {
      return;
    }
    this.open?.dispose();
    this.open = null;
    if (this.form && 'stepId' in this.form) {
      this.form = null; // it is about a step of the plan that was shown
    }
    if (id !== null) {
      this.open = new PlanStore(this.routes, this.events, id);
      void this.open.load();
    }
    this.tell();
  }

  /** A plan was created: show it. */
  take(plan: PlanView): void {
    this.isArchived = false;
    this.choose(plan.id);
    this.open!.take(plan);
    void this.refresh();
  }

  showGraph(isGraphShown: boolean): void {
    this.isGraphShown = isGraphShown;
    this.tell();
  }

  show(form: PlanForm | null): void {
    this.form = form;
    this.tell();
  }

  protected onEvent(event: CabinetEvent): void {
    if (event.type === 'plan_deleted' && event.plan_id === this.open?.id) {
      this.choose(null);
    }
    const isOfPlan = event.type === 'plan_deleted' || event.type === 'plan_changed';
    const areWaitsShown = this.page === 'queue' || this.items?.some(plan => plan.counts.running);
    if (isOfPlan || (areWaitsShown && WAIT_EVENTS.includes(event.type))) {
      this.rereadSoon(TOGETHER);
    }
  }

  protected reread(): void {
    void this.refresh();
    if (this.page === 'queue') {
      void this.readQueue();
    }
  }
}
