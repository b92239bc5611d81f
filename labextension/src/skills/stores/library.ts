/**
 * What the lists of skills and of tool servers have in common: the rows, the one that is shown, the form that a person
 * has opened, and what the server has refused.
 */
import { ApiError } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { CabinetEvent } from '../../api/types';
import { Store } from '../../shared/store';

export abstract class LibraryStore<Item extends { name: string }, Form> extends Store {
  /** `type`: of the event after which the list is fetched again. */
  constructor(
    private readonly _events: EventStream,
    private readonly _type: CabinetEvent['type']
  ) {
    super();
    _events.happened.connect(this._onEvent, this);
    this._stop = _events.onMissed(() => void this.refresh());
  }

  /** By name; null until the first answer. */
  items: Item[] | null = null;
  /** What is stored but cannot be read, in sentences. */
  problems: readonly string[] = [];
  /** Why the list cannot be read; what was read before stays. */
  problem: string | null = null;
  /** Why the server has refused what the person asked for last. */
  refusal: string | null = null;
  form: Form | null = null;
  isBusy = false;
  /** The name that the person has chosen; null: none. */
  chosen: string | null = null;

  /** The name of what is shown: the one that was chosen, else the first. */
  get shown(): string | null {
    const known = this.items?.find(({ name }) => name === this.chosen) ?? this.items?.[0];
    return known?.name ?? null;
  }

  override dispose(): void {
    this._stop();
    this._events.happened.disconnect(this._onEvent, this);
    super.dispose();
  }

  async refresh(): Promise<void> {
    const request = ++this._request;
    try {
      const { items, problems } = await this._list();
      if (request !== this._request) {
        return;
      }
      Object.assign(this, { items, problems, problem: null });
      const take = await this._read();
      if (request === this._request) {
        take();
      }
    } catch (reason) {
      if (request === this._request) {
        this.problem = (reason as Error).message;
      }
    }
    this.tell();
  }

  show(form: Form | null): void {
    this.form = form;
    this.tell();
  }

  dismissRefusal(): void {
    this.refusal = null;
    this.tell();
  }

  protected abstract _list(): Promise<{ items: Item[]; problems?: string[] }>;

  /** Read what is shown. The answer takes it over, unless something newer was asked for meanwhile. */
  protected abstract _read(): Promise<() => void>;

  /** False if the server refused it: `refusal` says why. */
  protected async _ask(ask: () => Promise<unknown>): Promise<boolean> {
    if (this.isBusy) {
      return false;
    }
    Object.assign(this, { isBusy: true, refusal: null });
    this.tell();
    let isDone = true;
    try {
      await ask();
    } catch (reason) {
      isDone = false;
      this.refusal = reason instanceof ApiError ? reason.message : String(reason);
    }
    this.isBusy = false;
    await this.refresh(); // after a refusal, because it may have changed meanwhile
    return isDone;
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    if ([this._type, 'agent_changed', 'agent_removed'].includes(event.type)) {
      void this.refresh();
    }
  }

  private readonly _stop: () => void;
  private _request = 0;
}
