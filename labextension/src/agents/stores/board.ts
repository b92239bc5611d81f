/**
 * The list of agents as a person looks at it: filter, search, order. What was chosen is kept for each person on this
 * server; what was searched for is not.
 */
import type { IStateDB } from '@jupyterlab/statedb';

import type { AgentRow } from '../../api/types';
import type { ConnectionStore } from '../../shared/connection';
import { Store } from '../../shared/store';
import type { AgentStore } from './agents';
import {
  countsOf,
  departmentsOf,
  filtered,
  moved,
  sorted,
  SORTS,
  tagsOf,
  type Filter,
  type IWanted,
  type Sort
} from './arranging';

/** As it is saved. */
interface ISaved {
  sort: Sort;
  order: readonly string[];
}

/** `changed` tells that other agents are shown, or in another order. */
export class BoardStore extends Store {
  constructor(
    private readonly _agents: AgentStore,
    private readonly _db: IStateDB | null
  ) {
    super();
    _agents.changed.connect(this.tell, this);
  }

  wanted: Readonly<IWanted> = { filter: 'all', search: '', department: '', tag: '' };

  get sort(): Sort {
    return this._saved.sort;
  }

  /** Null until the agents were read. */
  get all(): readonly AgentRow[] | null {
    return this._agents.rows;
  }

  /** All of them in the person's order; null until they were read. */
  get sorted(): AgentRow[] | null {
    return this.all && sorted(this.all, this.sort, this._saved.order);
  }

  /** Those that are looked for. */
  get shown(): AgentRow[] {
    return filtered(this.sorted ?? [], this.wanted);
  }

  get counts(): Record<Filter, number> {
    return countsOf(this.all ?? []);
  }

  get departments(): string[] {
    return departmentsOf(this.all ?? []);
  }

  get tags(): string[] {
    return tagsOf(this.all ?? []);
  }

  want(change: Partial<IWanted>): void {
    this.wanted = { ...this.wanted, ...change };
    this.tell();
  }

  sortBy(sort: Sort): void {
    this._save({ sort });
  }

  /** Puts an agent to the place of another. From then on the order is the person's own. */
  put(slug: string, place: string): void {
    const order = (this.sorted ?? []).map(row => row.slug);
    this._save({ sort: 'own', order: moved(order, slug, place) });
  }

  /** Takes what was chosen by whoever this page is logged in as, as soon as that is known. */
  follow(connection: ConnectionStore): void {
    this._unfollow = connection.followUsername(username => void this.load(username));
  }

  async load(username: string): Promise<void> {
    this._username = username;
    const saved = (await this._db?.fetch(this._key)) as Partial<ISaved> | undefined;
    this._saved = {
      sort: SORTS.find(sort => sort === saved?.sort) ?? this._saved.sort,
      order: Array.isArray(saved?.order) ? saved.order.map(String) : this._saved.order
    };
    this.tell();
  }

  override dispose(): void {
    this._unfollow();
    this._agents.changed.disconnect(this.tell, this);
    super.dispose();
  }

  private _save(change: Partial<ISaved>): void {
    this._saved = { ...this._saved, ...change };
    if (this._username !== null) {
      void this._db?.save(this._key, { sort: this._saved.sort, order: [...this._saved.order] });
    }
    this.tell();
  }

  private get _key(): string {
    return `jupyter-cabinet:agents:${this._username}`;
  }

  private _unfollow = (): void => undefined;
  private _username: string | null = null;
  private _saved: ISaved = { sort: 'next', order: [] };
}
