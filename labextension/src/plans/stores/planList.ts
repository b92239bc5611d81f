/**
 * The plans, the one that is shown, and the form that a person has opened. Kept up while it is shown.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import { PlanRoutes } from '../../api/planRoutes';
import type { CabinetEvent, PlanLine, PlanView } from '../../api/types';
import { Store } from '../../shared/store';
import { PlanStore, TOGETHER, words } from './plan';

/** A form over the tab. `step`: the step that is edited or reported; without one it is new. */
export type PlanForm =
  | { kind: 'plan'; plan: PlanView | null }
  | { kind: 'import' }
  | { kind: 'step'; stepId: string | null }
  | { kind: 'report'; stepId: string };

export class PlansStore extends Store {
  constructor(
    client: CabinetClient,
    private readonly _events: EventStream
  ) {
    super();
    this.routes = new PlanRoutes(client);
    _events.happened.connect(this._onEvent, this);
    this._stop = _events.onMissed(() => void this.refresh());
  }

  readonly routes: PlanRoutes;
  /** The last changed first; null until the first answer. */
  items: PlanLine[] | null = null;
  isArchived = false;
  /** Why the list cannot be read; what was read before stays. */
  problem: string | null = null;
  /** The plan that is shown. */
  open: PlanStore | null = null;
  form: PlanForm | null = null;

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
      const items = await this.routes.list(this.isArchived);
      if (request === this._request) {
        this.items = items;
        this.problem = null;
      }
    } catch (reason) {
      if (request === this._request) {
        this.problem = words(reason);
      }
    }
    this.tell();
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

  show(form: PlanForm | null): void {
    this.form = form;
    this.tell();
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    const known = event as CabinetEvent;
    if (known.type === 'plan_deleted' && known.plan_id === this.open?.id) {
      this.choose(null);
    }
    if (known.type === 'plan_deleted' || known.type === 'plan_changed') {
      this._timer ??= setTimeout(() => {
        this._timer = undefined;
        void this.refresh();
      }, TOGETHER);
    }
  }

  private readonly _stop: () => void;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _request = 0;
}
