/**
 * An agent that a person is about to make: what they have written, what is wrong with it, and what the server says.
 * Nothing is lost where the server refuses.
 */
import { ApiError, type CabinetClient } from '../../api/client';
import type { AgentDetail, AgentTemplate } from '../../api/types';
import { Store } from '../../shared/store';
import {
  checkAgent,
  type Field,
  fieldsOf,
  type IDraft,
  MORE_FIELDS,
  slugOf,
  type Wrong
} from './newAgentRules';

const EMPTY: IDraft = {
  template: '',
  name: '',
  slug: '',
  runtime: '',
  heartbeat: '',
  heartbeatEnabled: true,
  budget: '',
  dailyCost: '',
  visibility: ''
};

/** `changed` fires for each letter, and for each answer of the server. */
export class NewAgentStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    /** Slugs that are taken already, as far as this page knows. */
    private readonly _taken: () => readonly string[]
  ) {
    super();
  }

  /** Null until they were read. */
  templates: readonly AgentTemplate[] | null = null;
  draft: Readonly<IDraft> = EMPTY;
  isBusy = false;
  /** What the server has refused and no field can be named for. */
  refusal: string | null = null;

  /** Rejects nothing: what hinders is in `refusal`. */
  async load(): Promise<void> {
    try {
      this.templates = (await this._client.agentTemplates()).items;
      this.refusal = null;
    } catch (reason) {
      this.refusal = (reason as Error).message;
    }
    this.tell();
  }

  /** Takes what the template says, but keeps what the person has written. */
  choose(name: string): void {
    const chosen = this.templates?.find(template => template.name === name);
    if (chosen) {
      const values: Partial<IDraft> = {
        name: chosen.title,
        slug: this._freeSlug(slugOf(chosen.title)),
        heartbeat: chosen.heartbeat,
        budget: String(chosen.budget)
      };
      const untouched = Object.entries(values).filter(([field]) => !this._touched.has(field));
      this.draft = { ...this.draft, template: name, ...Object.fromEntries(untouched) };
      this._told = {};
      this.tell();
    }
  }

  /** The person has written something. The slug follows the name until they write one. */
  write(change: Partial<IDraft>): void {
    Object.keys(change).forEach(field => {
      this._touched.add(field);
      delete this._told[field as Field];
    });
    this.draft = { ...this.draft, ...change };
    if (change.name !== undefined && !this._touched.has('slug')) {
      this.draft = { ...this.draft, slug: this._freeSlug(slugOf(change.name)) };
      delete this._told.slug;
    }
    this.refusal = null;
    this.tell();
  }

  /** What is wrong with each field: our own rules first, then what the server has said of this very value. */
  get wrong(): Wrong {
    return { ...this._told, ...checkAgent(this.draft, this._taken()) };
  }

  /** Whether a field is wrong that the form shows on request only. The folder of an empty name is empty as well. */
  get needsMore(): boolean {
    const { wrong } = this;
    return MORE_FIELDS.some(field => wrong[field] && !(field === 'slug' && wrong.name));
  }

  /** Null if it was refused: the reason is at its field, or in `refusal`. */
  async create(): Promise<AgentDetail | null> {
    if (this.isBusy || Object.keys(this.wrong).length) {
      return null;
    }
    this.isBusy = true;
    this.refusal = null;
    this.tell();
    let made: AgentDetail | null = null;
    try {
      const { slug, template, visibility } = this.draft;
      made = await this._client.createAgent({
        slug,
        template,
        fields: fieldsOf(this.draft),
        ...(visibility && { visibility })
      });
    } catch (reason) {
      this._take(reason as Error);
    }
    this.isBusy = false;
    this.tell();
    return made;
  }

  private _take(reason: Error): void {
    const told = reason instanceof ApiError ? toldOf(reason) : {};
    this._told = told;
    this.refusal = Object.keys(told).length ? null : reason.message;
  }

  private _freeSlug(slug: string): string {
    const taken = new Set(this._taken());
    let free = slug;
    for (let number = 2; taken.has(free); number += 1) {
      free = `${slug.slice(0, 60)}-${number}`;
    }
    return free;
  }

  private readonly _touched = new Set<string>();
  private _told: Wrong = {};
}

/** The server's names of fields, and ours. */
const FIELDS: Readonly<Record<string, Field>> = {
  slug: 'slug',
  template: 'template',
  name: 'name',
  runtime: 'runtime',
  heartbeat: 'heartbeat',
  budget: 'budget',
  daily_cost_usd: 'dailyCost'
};

/** What an error says of single fields: of one by `field`, of several by `errors`. */
function toldOf({ detail, message }: ApiError): Wrong {
  const told: Wrong = {};
  const errors = Array.isArray(detail.errors) ? (detail.errors as unknown[]) : [];
  for (const error of [...errors, { field: detail.field, message }]) {
    const { field, message: text } = error as { field?: unknown; message?: unknown };
    const name = FIELDS[String(field)];
    if (name && typeof text === 'string') {
      told[name] ??= text;
    }
  }
  return told;
}
