/**
 * The usual fields of a persona that a person changes in a form. What was changed is saved with the version that it was
 * read from: a later one refuses it, and both values are shown until the person has chosen.
 */
import type { AgentDetail } from '../../../api/types';
import { Store } from '../../../shared/store';
import { refusedFields } from '../refusedFields';
import { type IGroups, kindOf, type WrongFields } from './personaValues';

const OF_THE_FORM =
  /^(name|emoji|role|department|tags|network|workdir|runtime|runner|docker_image|model|permission_mode|active_hours|post_to|reflection|budget|heartbeat|timezone|allowed_tools|skills|tool_servers|goals\[\d+\]\.(metric|target|unit|period))$/;

/** Where the form calls a field otherwise than the server. */
const NAMES: Readonly<Record<string, string>> = { heartbeat: 'schedule', allowed_tools: 'tools' };

/** ".agents/ada/persona.md: budget: must be a whole number" without what the place of the message says. */
function withoutPlace(text: string, field: string): string {
  const before = `: ${field}: `;
  const at = text.startsWith('.agents/') ? text.indexOf(before) : -1;
  return at < 0 ? text : text.slice(at + before.length);
}

export interface IShown<T> {
  /** As it is in the form; null: a form cannot show it. */
  value: T | null;
  /** As it was read. */
  before: T | null;
  /** As it is now, where somebody else has changed what this person changes too; else null. */
  theirs: string | null;
}

export interface IField extends Omit<IShown<string>, 'value'> {
  text: string;
}

export class PersonaForm extends Store {
  constructor(
    private readonly _save: (fields: Record<string, unknown>, etag: string) => Promise<AgentDetail>,
    private _now: AgentDetail,
    private readonly _read: () => Promise<AgentDetail>
  ) {
    super();
    this._seen = _now;
  }

  isBusy = false;
  /** The person wants to save: what is wrong is said also of fields that they have not left. */
  isTried = false;
  refusal: string | null = null;

  get isDirty(): boolean {
    return Object.keys(this._mine).length > 0;
  }

  /** It was changed since the person began to. */
  get isConflict(): boolean {
    return !this.isBusy && this.isDirty && this._seen.etag !== this._now.etag;
  }

  /** What is wrong with what the person has changed. What was wrong before holds back nothing. */
  get wrong(): WrongFields {
    const found = Object.entries(this._mine).map(([name, value]) => kindOf(name).wrong(value));
    return Object.assign({ ...this._told }, ...found) as WrongFields;
  }

  /** A field with a text. */
  field(name: string): IField {
    const { value, ...rest } = this._shown<string>(name);
    return { ...rest, text: value ?? '' };
  }

  /** What is more than a text. */
  group<Name extends keyof IGroups>(name: Name): IShown<IGroups[Name]> {
    return this._shown(name);
  }

  isChanged(name: string): boolean {
    return name in this._mine;
  }

  write(name: string, value: string): void {
    this._put(name, value);
  }

  writeGroup<Name extends keyof IGroups>(name: Name, value: IGroups[Name]): void {
    this._put(name, value);
  }

  /** As the server has it. A form without changes becomes that. */
  look(agent: AgentDetail): void {
    this._now = agent;
    if (!this.isBusy) {
      const mine = Object.entries(this._mine);
      this._mine = Object.fromEntries(
        mine.filter(([name, value]) => !isSame(name, value, kindOf(name).read(agent.fields)))
      );
      this._seen = this.isDirty ? this._seen : agent;
    }
    this.tell();
  }

  /** The next save writes over the other values, which were seen. */
  keepMine(): void {
    this._seen = this._now;
    this.tell();
  }

  takeTheirs(): void {
    this._mine = {};
    this._seen = this._now;
    this.isTried = false;
    this._forgive();
    this.tell();
  }

  async save(): Promise<void> {
    if (!this.isDirty || this.isConflict || this.isBusy) {
      return;
    }
    this.isTried = true;
    this._forgive();
    this.isBusy = Object.keys(this.wrong).length === 0;
    this.tell();
    if (!this.isBusy) {
      return;
    }
    const sent = this._mine;
    let isRefused = false;
    try {
      this._now = this._seen = await this._save(this._fieldsOf(sent), this._seen.etag);
      // What was written meanwhile is not saved yet.
      const later = Object.entries(this._mine).filter(([name, value]) => sent[name] !== value);
      this._mine = Object.fromEntries(later);
      this.isTried = false;
    } catch (reason) {
      isRefused = true;
      this._take(reason as Error);
    }
    this.isBusy = false;
    this.tell();
    if (isRefused) {
      // It may have changed by now without an event.
      await this._read().then(
        agent => this.look(agent),
        () => undefined
      );
    }
  }

  private _shown<T>(name: string): IShown<T> {
    const kind = kindOf(name);
    const before = kind.read(this._seen.fields);
    const now = kind.read(this._now.fields);
    const isBoth = this.isConflict && name in this._mine && !isSame(name, now, before);
    const theirs = isBoth ? (now === null ? '' : kind.text(now)) : null;
    return { value: (this._mine[name] ?? before) as T | null, before: before as T | null, theirs };
  }

  private _put(name: string, value: unknown): void {
    const rest = Object.entries(this._mine).filter(([each]) => each !== name);
    const isBack = isSame(name, value, kindOf(name).read(this._seen.fields));
    this._mine = Object.fromEntries(isBack ? rest : [...rest, [name, value]]);
    this._forgive();
    this.tell();
  }

  /** What the server has refused is said at its field, if the form has it. */
  private _take(reason: Error): void {
    const told = Object.entries(refusedFields(reason, OF_THE_FORM));
    this._told = Object.fromEntries(
      told.map(([field, text]) => [NAMES[field] ?? field, withoutPlace(text, field)])
    );
    this.refusal = told.length ? null : reason.message;
  }

  private _forgive(): void {
    this._told = {};
    this.refusal = null;
  }

  private _told: WrongFields = {};

  private _fieldsOf(mine: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const { fields } = this._seen;
    const parts = Object.entries(mine).map(([name, value]) => kindOf(name).fields(value, fields));
    return Object.assign({}, ...parts) as Record<string, unknown>;
  }

  /** By the names of `kindOf`. */
  private _mine: Readonly<Record<string, unknown>> = {};
  private _seen: AgentDetail;
}

function isSame(name: string, value: unknown, other: unknown): boolean {
  return value === null || other === null ? value === other : kindOf(name).isSame(value, other);
}
