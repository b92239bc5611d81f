/**
 * The plans, the one that is shown, and the form that a person has opened. Kept up while it is shown.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import { PlanRoutes } from '../../api/planRoutes';
import type { CabinetEvent, PlanLine, PlanView, QueuedStep } from '../../api/types';
import { Store } from '../../shared/store';
import { PlanStore, TOGETHER, WAIT_EVENTS, words } from './plan';

/** A form over the tab. `checklist`: the path of the file that a new plan works through. `step`: the step that is edited, reported or split; without one it is new. */
export type PlanForm =
  | { kind: 'plan'; plan: PlanView | null; checklist?: string }
  | { kind: 'import' }
  | { kind: 'checklist' }
  | { kind: 'step'; stepId: string | null }
  | { kind: 'report'; stepId: string }
  | { kind: 'split'; stepId: string };

export type PlansPage = 'plans' | 'queue';

export class PlansStore extends Store {
  constructor(
    client: CabinetClient,
    private readonly _events: EventStream
  ) {
    super();
    this.routes = new PlanRoutes(client);
    _events.happened.connect(this._onEvent, this);
    this._stop = _events.onMissed(() => {
      void this.refresh();
      if (this.page === 'queue') {
        void this.readQueue();
      }
    });
  }

  readonly routes: PlanRoutes;
  /** The last changed first; null until the first answer. */
  items: PlanLine[] | null = null;
  isArchived = false;
  /** Whether every plan is archived, so that the list is empty although there are plans. */
  areAllArchived = false;
  /** Why the list cannot be read; what was read before stays. */
  problem: string | null = null;
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
    this._stop();
    clearTimeout(this._timer);
    this._events.happened.disconnect(this._onEvent, this);
    this.open?.dispose();
    super.dispose();
  }

  async refresh(): Promise<void> {
    const request = ++this._request;
    try {
      const { isArchived } = this;
      const items = await this.routes.list(isArchived);
      const areAllArchived =
        !isArchived && items.length === 0 && (await this.routes.list(true)).length > 0;
      if (request === this._request) {
        this.items = items;
        this.areAllArchived = areAllArchived;
        this.problem = null;
      }
    } catch (reason) {
      if (request === this._request) {
        this.problem = words(reason);
      }
    }
    this.tell();
  }

  async readQueue(): Promise<void> {
    try {
      this.queue = await this.routes.queue();
      this.queueProblem = null;
    } catch (reason) {
      this.queueProblem = words(reason);
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
      this.open = new PlanStore(this.routes, this._events, id);
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

  private _onEvent(_: EventStream, event: { type: string }): void {
    const known = event as CabinetEvent;
    if (known.type === 'plan_deleted' && known.plan_id === this.open?.id) {
      this.choose(null);
    }
    const isOfPlan = known.type === 'plan_deleted' || known.type === 'plan_changed';
    if (isOfPlan || (this.page === 'queue' && WAIT_EVENTS.includes(known.type))) {
      this._timer ??= setTimeout(() => {
        this._timer = undefined;
        void this.refresh();
        if (this.page === 'queue') {
          void this.readQueue();
        }
      }, TOGETHER);
    }
  }

  private readonly _stop: () => void;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _request = 0;
}
