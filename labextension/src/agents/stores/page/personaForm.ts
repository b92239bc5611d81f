/**
 * The usual fields of a persona that a person changes in a form. What was changed is saved with the version that it was
 * read from: a later one refuses it, and both values are shown until the person has chosen.
 */
import type { AgentDetail } from '../../../api/types';
import { Store } from '../../../shared/store';
import { fieldText } from './words';

/** Fields with whole numbers, and with lists of words. */
const NUMBERS: ReadonlySet<string> = new Set(['budget']);
const LISTS: ReadonlySet<string> = new Set(['tags']);

export interface IField {
  text: string;
  /** As it was read; null: a form cannot show it. */
  before: string | null;
  /** As it is now, where somebody else has changed what this person changes too; else null. */
  theirs: string | null;
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
  refusal: string | null = null;

  get isDirty(): boolean {
    return Object.keys(this._mine).length > 0;
  }

  /** It was changed since the person began to. */
  get isConflict(): boolean {
    return !this.isBusy && this.isDirty && this._seen.etag !== this._now.etag;
  }

  field(name: string): IField {
    const before = fieldText(this._seen.fields, name);
    const now = fieldText(this._now.fields, name);
    const isBoth = this.isConflict && name in this._mine && now !== before;
    return { text: this._mine[name] ?? before ?? '', before, theirs: isBoth ? now : null };
  }

  write(name: string, text: string): void {
    const rest = Object.entries(this._mine).filter(([each]) => each !== name);
    const isSame = text === fieldText(this._seen.fields, name);
    this._mine = Object.fromEntries(isSame ? rest : [...rest, [name, text]]);
    this.refusal = null;
    this.tell();
  }

  /** As the server has it. A form without changes becomes that. */
  look(agent: AgentDetail): void {
    this._now = agent;
    if (!this.isBusy) {
      const mine = Object.entries(this._mine);
      this._mine = Object.fromEntries(
        mine.filter(([name, text]) => text !== fieldText(agent.fields, name))
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
    this.refusal = null;
    this.tell();
  }

  async save(): Promise<void> {
    if (!this.isDirty || this.isConflict || this.isBusy) {
      return;
    }
    const sent = this._mine;
    this.isBusy = true;
    this.refusal = null;
    this.tell();
    try {
      const fields = Object.entries(sent).map(([name, text]) => [name, valueOf(name, text)]);
      const given = Object.fromEntries(fields) as Record<string, unknown>;
      this._now = this._seen = await this._save(given, this._seen.etag);
      // What was written meanwhile is not saved yet.
      const later = Object.entries(this._mine).filter(([name, text]) => sent[name] !== text);
      this._mine = Object.fromEntries(later);
    } catch (reason) {
      this.refusal = (reason as Error).message;
    }
    this.isBusy = false;
    this.tell();
    if (this.refusal !== null) {
      // It may be another by now, also where nobody has told of that.
      await this._read().then(
        agent => this.look(agent),
        () => undefined
      );
    }
  }

  private _mine: Readonly<Record<string, string>> = {};
  private _seen: AgentDetail;
}

/** As YAML has it; an empty field is removed. */
export function valueOf(name: string, text: string): unknown {
  const trimmed = text.trim();
  if (!trimmed) {
    return null;
  }
  if (LISTS.has(name)) {
    const words = trimmed.split(',').map(each => each.trim());
    return words.filter(each => each);
  }
  return NUMBERS.has(name) && /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}
