/**
 * The skills of the server's folder, the one that is shown, and the form that a person has opened. Kept up while it is
 * shown. Files may also be changed by hand, which the server does not announce: a person can reload.
 */
import { ApiError, type CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import { SkillRoutes } from '../../api/skillRoutes';
import type { CabinetEvent, SkillDetail, SkillRow, SkillVerdict } from '../../api/types';
import { Store } from '../../shared/store';

export type SkillForm = { kind: 'new' } | { kind: 'files' } | { kind: 'text'; skill: SkillDetail };

export class SkillsStore extends Store {
  constructor(
    client: CabinetClient,
    private readonly _events: EventStream
  ) {
    super();
    this.routes = new SkillRoutes(client);
    _events.happened.connect(this._onEvent, this);
    this._stop = _events.onMissed(() => void this.refresh());
  }

  readonly routes: SkillRoutes;
  /** By name; null until the first answer. */
  items: SkillRow[] | null = null;
  /** Folders that look like skills but are not. */
  problems: readonly string[] = [];
  /** All of the skill that is shown; null until it was read. */
  detail: SkillDetail | null = null;
  /** Its files have changed since the person began to read them: they stay as they are until the person asks. */
  newer: SkillDetail | null = null;
  /** Why they cannot be read; what was read before stays. */
  problem: string | null = null;
  /** Why the server has refused what the person asked for last. */
  refusal: string | null = null;
  form: SkillForm | null = null;
  isBusy = false;
  /** The name of the skill that the person has chosen; null: none. */
  chosen: string | null = null;

  /** The name of the skill that is shown: the one that was chosen, else the first. */
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
      const { items, problems } = await this.routes.list();
      if (request !== this._request) {
        return;
      }
      Object.assign(this, { items, problems, problem: null });
      const { shown } = this;
      const detail = shown === null ? null : await this.routes.one(shown);
      if (request === this._request) {
        this._take(detail);
      }
    } catch (reason) {
      if (request === this._request) {
        this.problem = (reason as Error).message;
      }
    }
    this.tell();
  }

  /** Show a skill; null: the list, in a narrow tab. */
  choose(name: string | null): void {
    this.chosen = name;
    this.refusal = null;
    if (name !== null && this.detail?.name !== name) {
      this.detail = this.newer = null;
      void this.refresh();
    }
    this.tell();
  }

  show(form: SkillForm | null): void {
    this.form = form;
    this.tell();
  }

  /** A skill was added or changed: show it. */
  async take(skill: SkillDetail): Promise<void> {
    this.chosen = skill.name;
    this.detail = skill;
    this.newer = null;
    await this.refresh();
  }

  /** Show the files as they are now. */
  async reload(): Promise<void> {
    await this.refresh();
    if (this.newer) {
      this.detail = this.newer;
      this.newer = null;
      this.tell();
    }
  }

  /** Exactly of the files that are shown. The person has accepted those that are not shown whole. */
  decide({ hash, name, unseen }: SkillDetail, decision: SkillVerdict): Promise<boolean> {
    const accepted = decision === 'approve' ? unseen : [];
    return this._ask(() => this.routes.decide(name, hash, decision, accepted));
  }

  remove({ name }: SkillDetail): Promise<boolean> {
    return this._ask(() => this.routes.remove(name));
  }

  dismissRefusal(): void {
    this.refusal = null;
    this.tell();
  }

  /** False if the server refused it: `refusal` says why. */
  private async _ask(ask: () => Promise<unknown>): Promise<boolean> {
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
    await this.refresh(); // after a refusal, because the files may have changed meanwhile
    return isDone;
  }

  /** Whoever changes files while a person reads them must not change what the person approves. */
  private _take(found: SkillDetail | null): void {
    const isExchanged = found?.name === this.detail?.name && found?.hash !== this.detail?.hash;
    this.newer = isExchanged ? found : null;
    if (!isExchanged) {
      this.detail = found;
    }
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    const { type } = event as CabinetEvent;
    if (type === 'skills_changed' || type === 'agent_changed' || type === 'agent_removed') {
      void this.refresh();
    }
  }

  private readonly _stop: () => void;
  private _request = 0;
}
