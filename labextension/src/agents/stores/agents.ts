/**
 * The agents that are shown on this page, kept up by the event stream. One that nobody looks at is not read.
 *
 * An event only says that an agent has to be read again: events that come twice, late or in another order change nothing,
 * and after a gap everything that is shown is read. Of two answers that one counts whose reading began later.
 */
import type { CabinetClient } from '../../api/client';
import { ApiError } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { AgentDetail, AgentList, AgentRow, CabinetEvent, PutAwayAgent } from '../../api/types';
import { naturally } from '../../shared/naturalOrder';
import { Store } from '../../shared/store';

/** Events of one agent often come in a burst: it is read once after them. */
export const SETTLE_MS = 150;
/** Of so many agents at a time the list is read instead of each. */
export const MANY = 8;

/** What a person tells an agent. `stop` ends the run that works or waits for its turn. */
export type AgentVerb = 'run' | 'pause' | 'resume' | 'stop';

/** An agent that was archived or deleted, and can be restored. */
export interface IPutAway extends PutAwayAgent {
  isDeleted: boolean;
}

/** Why an agent is not shown: there is none, it is somebody else's, or the server cannot be reached. */
export type AgentProblem = 'absent' | 'forbidden' | 'offline';

interface IShown {
  watchers: number;
  detail: AgentDetail | null;
  problem: AgentProblem | null;
  refusal: string | null;
  isBusy: boolean;
}

/** `changed` tells that something of some agent is different. */
export class AgentStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream
  ) {
    super();
    events.happened.connect(this._onEvent, this);
    events.onMissed(() => this._readWatched());
  }

  /** Null until it was read. What was read before a break stays. */
  get(slug: string): AgentDetail | null {
    return this._shown.get(slug)?.detail ?? null;
  }

  /** What is known of it without reading it. */
  row(slug: string): AgentRow | null {
    return this._rows.get(slug) ?? this.get(slug);
  }

  /** How people call it; its slug, where that is not known. */
  nameOf(slug: string): string {
    const gone = this.putAway.find(each => each.slug === slug);
    return this.row(slug)?.name ?? gone?.agent_name ?? slug;
  }

  /** Of the agent that has this slug or, in whatever case, this name; else what was given. */
  slugOf(name: string): string {
    if (this._rows.has(name)) {
      return name;
    }
    const isNamed = (each: string) => each.toLowerCase() === name.toLowerCase();
    const row = [...this._rows.values()].find(each => isNamed(each.name));
    return (row ?? this.putAway.find(each => isNamed(each.agent_name)))?.slug ?? name;
  }

  problem(slug: string): AgentProblem | null {
    return this._shown.get(slug)?.problem ?? null;
  }

  /** Why the last thing that a person told it was not done. */
  refusal(slug: string): string | null {
    return this._shown.get(slug)?.refusal ?? null;
  }

  /** The person has seen the refusal of the last request, or may try it again. */
  forgetRefusal(slug: string): void {
    if (this.refusal(slug) !== null) {
      this._of(slug).refusal = null;
      this.tell();
    }
  }

  isBusy(slug: string): boolean {
    return this._shown.get(slug)?.isBusy ?? false;
  }

  /** All agents, in the natural order of their names; null until they were read. Only while somebody watches all. */
  get rows(): AgentRow[] | null {
    return this._isRead
      ? [...this._rows.values()].sort(
          (a, b) => naturally(a.name, b.name) || naturally(a.slug, b.slug)
        )
      : null;
  }

  /** Sentences about what lies among the agents and is none. */
  oddities: readonly string[] = [];
  /** The person's archived and deleted agents, newest first. Only while somebody watches all. */
  putAway: readonly IPutAway[] = [];
  /** Why the list was not read the last time. */
  listProblem: AgentProblem | null = null;

  /** Keeps an agent up to date until the answer is called. */
  watch(slug: string): () => void {
    const shown = this._of(slug);
    shown.watchers += 1;
    if (shown.watchers === 1) {
      void this._read(slug);
    }
    return once(() => (shown.watchers -= 1));
  }

  /** Keeps the list of all up to date until the answer is called. */
  watchAll(): () => void {
    this._listWatchers += 1;
    if (this._listWatchers === 1) {
      void this.readAll();
    }
    return once(() => (this._listWatchers -= 1));
  }

  /** Read the list again: people also change files by hand, which no event announces. */
  async readAll(): Promise<void> {
    const begun = ++this._begun;
    try {
      this._putAll(await this._client.agents(), begun);
      this.listProblem = null;
    } catch (reason) {
      this.listProblem = problemOf(reason);
    }
    this.tell();
  }

  /** Done when the server has done it; a refusal is in `refusal`. One thing at a time. */
  async tellAgent(slug: string, verb: AgentVerb): Promise<void> {
    const shown = this._of(slug);
    if (shown.isBusy) {
      return;
    }
    Object.assign(shown, { isBusy: true, refusal: null });
    this.tell();
    try {
      const known = this._rows.get(slug) ?? shown.detail;
      await this._do(slug, verb, known?.run_id ?? null);
    } catch (reason) {
      shown.refusal = (reason as Error).message;
    }
    shown.isBusy = false;
    await this._read(slug);
  }

  private async _do(slug: string, verb: AgentVerb, runId: string | null): Promise<void> {
    if (verb === 'run') {
      await this._client.runAgent(slug);
    } else if (verb === 'pause') {
      await this._client.pauseAgent(slug);
    } else if (verb === 'resume') {
      await this._client.resumeAgent(slug);
    } else if (runId !== null) {
      await this._client.cancel(runId);
    }
  }

  private async _read(slug: string): Promise<void> {
    const shown = this._of(slug);
    if (!shown.watchers && !this._listWatchers) {
      return;
    }
    const begun = ++this._begun;
    try {
      this._put(slug, await this._client.agent(slug), begun);
      shown.problem = null;
    } catch (reason) {
      shown.problem = problemOf(reason);
      if (shown.problem !== 'offline') {
        this._put(slug, null, begun);
      }
    }
    this.tell();
  }

  private _put(slug: string, detail: AgentDetail | null, begun: number): void {
    if ((this._readAt.get(slug) ?? 0) > begun) {
      return;
    }
    this._readAt.set(slug, begun);
    this._of(slug).detail = detail;
    if (detail) {
      this._rows.set(slug, detail);
    } else {
      this._rows.delete(slug);
    }
  }

  private _putAll(list: AgentList, begun: number): void {
    const { items, problems } = list;
    const listed = new Map(items.map(row => [row.slug, row]));
    for (const slug of new Set([...this._rows.keys(), ...listed.keys()])) {
      if ((this._readAt.get(slug) ?? 0) < begun) {
        this._readAt.set(slug, begun);
        const row = listed.get(slug);
        if (row) {
          this._rows.set(slug, row);
        } else {
          this._rows.delete(slug);
        }
      }
    }
    this.oddities = problems ?? [];
    this.putAway = putAwayOf(list);
    this._isRead = true;
  }

  private _readWatched(): void {
    if (this._listWatchers) {
      void this.readAll();
    }
    this._shown.forEach(({ watchers }, slug) => watchers && void this._read(slug));
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    const known = event as CabinetEvent;
    const slug = 'agent' in known ? known.agent : 'run' in known ? known.run.agent : null;
    if (known.type === 'work_paused' || known.type === 'work_resumed') {
      this._shown.forEach(({ watchers }, each) => watchers && this._later(each));
    } else if (slug && (this._listWatchers || this._shown.get(slug)?.watchers)) {
      const isRestored = this.putAway.some(each => each.slug === slug);
      this._isPutAwayOld ||= known.type === 'agent_removed' || isRestored;
      this._later(slug);
    }
  }

  private async _readPutAway(): Promise<void> {
    try {
      this.putAway = putAwayOf(await this._client.agents());
    } catch {
      return; // with the whole list, when the server is there again
    }
    this.tell();
  }

  private _later(slug: string): void {
    this._waiting.add(slug);
    this._settle();
  }

  /** One reading at a time: while events come without end, requests do not pile up. */
  private _settle(): void {
    if (this._waiting.size && !this._isSettling) {
      this._isSettling = true;
      setTimeout(() => void this._readWaiting(), SETTLE_MS);
    }
  }

  private async _readWaiting(): Promise<void> {
    const slugs = [...this._waiting];
    this._waiting.clear();
    const isMany = this._listWatchers > 0 && slugs.length >= MANY;
    const isPutAwayOld = this._listWatchers > 0 && this._isPutAwayOld && !isMany;
    this._isPutAwayOld = false;
    const each = isMany ? slugs.filter(slug => this._shown.get(slug)?.watchers) : slugs;
    try {
      await Promise.all([
        isMany && this.readAll(),
        isPutAwayOld && this._readPutAway(),
        ...each.map(slug => this._read(slug))
      ]);
    } finally {
      this._isSettling = false;
      this._settle();
    }
  }

  private _of(slug: string): IShown {
    let shown = this._shown.get(slug);
    if (!shown) {
      shown = { watchers: 0, detail: null, problem: null, refusal: null, isBusy: false };
      this._shown.set(slug, shown);
    }
    return shown;
  }

  private readonly _shown = new Map<string, IShown>();
  private readonly _rows = new Map<string, AgentRow>();
  /** The reading that an agent's state comes from, counted. */
  private readonly _readAt = new Map<string, number>();
  private readonly _waiting = new Set<string>();
  private _isSettling = false;
  private _begun = 0;
  private _listWatchers = 0;
  private _isRead = false;
  private _isPutAwayOld = false;
}

function putAwayOf({ archived = [], trashed = [] }: AgentList): IPutAway[] {
  return [
    ...archived.map(each => ({ ...each, isDeleted: false })),
    ...trashed.map(each => ({ ...each, isDeleted: true }))
  ].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

function once(end: () => void): () => void {
  let isOver = false;
  return () => {
    if (!isOver) {
      isOver = true;
      end();
    }
  };
}

function problemOf(reason: unknown): AgentProblem {
  if (!(reason instanceof ApiError)) {
    return 'offline';
  }
  return reason.status === 403 ? 'forbidden' : 'absent';
}
