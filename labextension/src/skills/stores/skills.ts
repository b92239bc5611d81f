/**
 * The skills of the server's folder, the one that is shown, and the form that a person has opened. Kept up while it is
 * shown. Files may also be changed by hand, which the server does not announce: a person can reload.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import { SkillRoutes } from '../../api/skillRoutes';
import type { SkillDetail, SkillList, SkillRow, SkillVerdict } from '../../api/types';
import { LibraryStore } from './library';

export type SkillForm = { kind: 'new' } | { kind: 'files' } | { kind: 'text'; skill: SkillDetail };

export class SkillsStore extends LibraryStore<SkillRow, SkillForm> {
  constructor(client: CabinetClient, events: EventStream) {
    super(events, 'skills_changed');
    this.routes = new SkillRoutes(client);
    this.keepUp();
  }

  readonly routes: SkillRoutes;
  /** All of the skill that is shown; null until it was read. */
  detail: SkillDetail | null = null;
  /** Its files have changed since the person began to read them: they stay as they are until the person asks. */
  newer: SkillDetail | null = null;

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
    return this._ask(async () => {
      await this.routes.remove(name);
      this.chosen = null;
    });
  }

  protected _list(): Promise<SkillList> {
    return this.routes.list();
  }

  protected async _read(): Promise<() => void> {
    const { shown } = this;
    const detail = shown === null ? null : await this.routes.one(shown);
    return () => this._take(detail);
  }

  /** Whoever changes files while a person reads them must not change what the person approves. */
  private _take(found: SkillDetail | null): void {
    const isExchanged = found?.name === this.detail?.name && found?.hash !== this.detail?.hash;
    this.newer = isExchanged ? found : null;
    if (!isExchanged) {
      this.detail = found;
    }
  }
}
