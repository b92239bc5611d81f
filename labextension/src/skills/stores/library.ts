/**
 * What the lists of skills and of tool servers have in common: the rows, the one that is shown, the form that a person
 * has opened, and what the server has refused.
 */
import type { EventStream } from '../../api/events';
import type { CabinetEvent } from '../../api/types';
import { LiveStore, reasonText } from '../../shared/liveStore';

export abstract class LibraryStore<Item extends { name: string }, Form> extends LiveStore {
  /** `type`: of the event after which the list is fetched again. */
  constructor(
    events: EventStream,
    private readonly _type: CabinetEvent['type']
  ) {
    super(events);
  }

  /** By name; null until the first answer. */
  items: Item[] | null = null;
  /** What is stored but cannot be read, in sentences. */
  problems: readonly string[] = [];
  /** Why the server has refused what the person asked for last. */
  refusal: string | null = null;
  form: Form | null = null;
  isBusy = false;
  /** The name that the person has chosen; null: none. */
  chosen: string | null = null;

  /** What was chosen and is not there: somebody has removed it. Nothing else takes its place. */
  get gone(): string | null {
    return this._missing === this.chosen ? this._missing : null;
  }

  /** The name of what is shown: the one that was chosen, else the first. */
  get shown(): string | null {
    const { chosen, items } = this;
    const known = items?.find(({ name }, index) => (chosen === null ? !index : name === chosen));
    return known?.name ?? null;
  }

  async refresh(): Promise<void> {
    await this.latest(
      async isLatest => {
        const { items, problems } = await this._list();
        if (isLatest()) {
          Object.assign(this, { items, problems, problem: null });
          this._missing = this.shown === null ? this.chosen : null;
        }
        return this._read();
      },
      take => take()
    );
  }

  show(form: Form | null): void {
    this.form = form;
    this.tell();
  }

  dismissRefusal(): void {
    this.refusal = null;
    this.tell();
  }

  /** Show the first again, after the person has read that theirs is gone. */
  dismissGone(): void {
    this.chosen = null;
    void this.refresh();
    this.tell();
  }

  protected abstract _list(): Promise<{ items: Item[]; problems?: string[] }>;

  /** Read what is shown. The answer takes it over, unless something newer was asked for meanwhile. */
  protected abstract _read(): Promise<() => void>;

  private _missing: string | null = null;

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
      this.refusal = reasonText(reason);
    }
    this.isBusy = false;
    await this.refresh(); // after a refusal, because it may have changed meanwhile
    return isDone;
  }

  protected onEvent({ type }: CabinetEvent): void {
    if ([this._type, 'agent_changed', 'agent_removed'].includes(type)) {
      this.reread();
    }
  }

  protected reread(): void {
    void this.refresh();
  }
}
