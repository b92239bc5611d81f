/**
 * What is allowed, asked or denied in advance. The server decides by them; here they are listed and changed.
 */
import { ApiError, type CabinetClient } from '../../api/client';
import type { ApprovalRule, NewRule, RuleDecision, RuleList } from '../../api/types';
import { Store } from '../../shared/store';

/** Tells with `changed` of anything. */
export class RuleStore extends Store {
  constructor(private readonly _client: CabinetClient) {
    super();
  }

  /** What these rules say to the command that was tried last, or why the server cannot tell. */
  decision: RuleDecision | string | null = null;
  /** Why they cannot be read or were not saved, in a sentence. */
  problem = '';
  saving = false;
  /** The list before the last removal, to be restored. */
  removed: ApprovalRule | null = null;

  /** Null until they have been read. */
  get list(): RuleList | null {
    return this._list;
  }

  async load(): Promise<void> {
    try {
      this._take(await this._client.approvalRules());
      this.problem = '';
    } catch (reason) {
      this.problem = sentence(reason);
    }
    this.tell();
  }

  /** In the order of their making. */
  get rules(): ApprovalRule[] {
    return this.list?.rules ?? [];
  }

  /** Only its author and administrators may. */
  mayChange(rule: ApprovalRule): boolean {
    return !this.list?.protected?.includes(rule.id);
  }

  add(rule: NewRule): Promise<boolean> {
    return this._save(rules => [...rules, rule]);
  }

  replace(id: string, rule: NewRule): Promise<boolean> {
    return this._save(rules => rules.map(each => (each.id === id ? { ...rule, id: null } : each)));
  }

  async remove(rule: ApprovalRule): Promise<void> {
    if (await this._save(rules => rules.filter(each => each.id !== rule.id))) {
      this.removed = rule;
      this.tell();
    }
  }

  async putBack(): Promise<void> {
    const rule = this.removed;
    if (rule && (await this.add({ ...asNew(rule), id: null }))) {
      this.removed = null;
      this.tell();
    }
  }

  /** Asks what the rules say to a command. Nothing is done. */
  async try(text: string): Promise<void> {
    const asks = { type: 'command' as const, text, argv: [], cwd: '', more: [], is_title: false };
    this.decision = await this._client.explainRules({ asks }).catch(sentence);
    this.tell();
  }

  forgetDecision(): void {
    this.decision = null;
    this.tell();
  }

  private _take(list: RuleList): void {
    if (list.hash !== this._list?.hash) {
      this.decision = null; // other rules may decide otherwise
    }
    this._list = list;
  }

  /** Where somebody else was faster their list is shown, and the change is not made. */
  private async _save(change: (rules: NewRule[]) => NewRule[]): Promise<boolean> {
    if (!this._list || this.saving) {
      return false;
    }
    this.saving = true;
    this.problem = '';
    this.removed = null;
    this.tell();
    try {
      const { hash, rules } = this._list;
      this._take(await this._client.saveApprovalRules(change(rules.map(asNew)), hash));
      return true;
    } catch (reason) {
      const isOld = reason instanceof ApiError && reason.status === 409;
      if (isOld) {
        await this.load();
      }
      this.problem = sentence(reason);
      return false;
    } finally {
      this.saving = false;
      this.tell();
    }
  }

  private _list: RuleList | null = null;
}

/** What a person wrote of a rule: it is sent back as it was. */
function asNew(rule: ApprovalRule): NewRule {
  const { action, agent, effect, expires_at, folder, id, note, runtime } = rule;
  return { action, agent, effect, expires_at, folder, id, note, runtime };
}

function sentence(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
