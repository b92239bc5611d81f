/**
 * The questions of agents that this person may see: those that wait, and those that were closed.
 * Kept up by the event stream. Who may answer is the server's to say, so news are read from it.
 */
import { Signal, type ISignal } from '@lumino/signaling';

import { ApiError, type CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { Approval, ApprovalItem, CabinetEvent, NewAnswer } from '../../api/types';
import { Store } from '../../shared/store';

const PAGE = 50;

/**
 * Questions by state, by run and by terminal, and the way to answer them. `asked` and `over` fire for single
 * ones.
 */
export class ApprovalStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream
  ) {
    super();
    events.happened.connect(this._onEvent, this);
    events.onMissed(() => this._readAgain());
  }

  /** A question that was not known is open now; also those that are found at the first reading. */
  readonly asked: ISignal<this, ApprovalItem> = new Signal<this, ApprovalItem>(this);
  /** A question that waited does so no longer. */
  readonly over: ISignal<this, Approval> = new Signal<this, Approval>(this);

  /** False until the first reading is there. */
  loaded = false;
  /** Why they cannot be read. */
  problem: string | null = null;
  /** This person may not see any. */
  forbidden = false;
  /** Cursor of the next page of closed ones. */
  older: string | null = null;
  /** Why an answer was not taken, by the question's id; kept until it is dismissed. */
  readonly refusals = new Map<string, string>();

  /** Newest first. */
  get waiting(): ApprovalItem[] {
    return this._all(item => item.approval.state === 'waiting').sort(
      (a, b) => b.approval.number - a.approval.number
    );
  }

  get mine(): ApprovalItem[] {
    return this.waiting.filter(item => item.may_answer);
  }

  get others(): ApprovalItem[] {
    return this.waiting.filter(item => !item.may_answer);
  }

  /** What has been read of the closed ones without a gap, the last closed first. */
  get closed(): Approval[] {
    return this._all(
      item => item.approval.state !== 'waiting' && this._listed.has(item.approval.id)
    )
      .map(item => item.approval)
      .sort((a, b) => (b.closed_at ?? '').localeCompare(a.closed_at ?? ''));
  }

  waitingOf(runId: string): ApprovalItem[] {
    return this.waiting.filter(item => item.approval.run_id === runId);
  }

  waitingIn(terminalId: string): ApprovalItem[] {
    return this.waiting.filter(item => item.approval.terminal_id === terminalId);
  }

  ofQuestion(runId: string, questionId: string): Approval | null {
    const [found] = this._all(
      ({ approval }) => approval.run_id === runId && approval.question_id === questionId
    );
    return found?.approval ?? null;
  }

  isAnswering(id: string): boolean {
    return this._answering.has(id);
  }

  /** Read all again: what waits, and the newest closed ones. */
  async load(): Promise<void> {
    await this._guard(async () => {
      const closed = await this._client.approvals({ state: 'closed', limit: PAGE });
      this._listed.clear();
      this._list(closed.items);
      this.older = closed.next;
      await this._readWaiting();
      this.loaded = true;
    });
  }

  async loadOlder(): Promise<void> {
    const cursor = this.older;
    if (cursor) {
      await this._guard(async () => {
        const page = await this._client.approvals({ state: 'closed', limit: PAGE, cursor });
        this._list(page.items);
        this.older = page.next;
      });
    }
  }

  /** What a run has asked, once: later news come as events. */
  async loadRun(runId: string): Promise<void> {
    if (!this._runs.has(runId)) {
      this._runs.add(runId);
      await this._guard(async () => {
        const { items } = await this._client.approvals({ run_id: runId, limit: PAGE });
        items.forEach(item => this._put(item));
      });
    }
  }

  /**
   * A refusal is kept for the panel; the question's true state is read then. `days`: for so long the same is allowed
   * by a rule.
   */
  async answer(
    id: string,
    option: string,
    note = '',
    days: number | null = null
  ): Promise<boolean> {
    if (this._answering.has(id)) {
      return false;
    }
    this._answering.add(id);
    this.refusals.delete(id);
    this.tell();
    const always = days === null ? {} : { always: { days } };
    const seen = this._known.get(id)?.approval;
    try {
      this._take(
        await this._client.answer(id, { option, note, ...always, shown: seen && shownOf(seen) })
      );
      return true;
    } catch (reason) {
      this.refusals.set(id, reason instanceof Error ? reason.message : String(reason));
      await this._readOne(id);
      return false;
    } finally {
      this._answering.delete(id);
      this.tell();
    }
  }

  dismiss(id: string): void {
    this.refusals.delete(id);
    this.tell();
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    const news = event as CabinetEvent;
    if (news.type === 'approval_closed') {
      this._take(news.approval);
    } else if (news.type === 'approval_requested') {
      void this._guard(() => this._readWaiting());
    }
  }

  private _readAgain(): void {
    this._runs.clear();
    void this.load();
  }

  /** One reading at a time; what is asked for meanwhile is read once more. */
  private async _readWaiting(): Promise<void> {
    if (this._reading) {
      this._again = true;
      return this._reading;
    }
    this._reading = this._read().finally(() => (this._reading = null));
    return this._reading;
  }

  private async _read(): Promise<void> {
    do {
      this._again = false;
      const before = this.waiting;
      const items = await this._pages();
      const there = new Set(items.map(item => item.approval.id));
      const gone = before.filter(item => !there.has(item.approval.id));
      items.forEach(item => this._put(item));
      await Promise.all(gone.map(item => this._readOne(item.approval.id)));
    } while (this._again);
  }

  /** All that waits, however many. */
  private async _pages(): Promise<ApprovalItem[]> {
    const wanted = { state: 'waiting', limit: 200 } as const;
    let page = await this._client.approvals(wanted);
    const items = [...page.items];
    while (page.next) {
      page = await this._client.approvals({ ...wanted, cursor: page.next });
      items.push(...page.items);
    }
    return items;
  }

  private async _readOne(id: string): Promise<void> {
    try {
      this._take(await this._client.approval(id));
    } catch (reason) {
      if (reason instanceof ApiError) {
        this._known.delete(id); // it may no longer be seen
        this.tell();
      }
    }
  }

  private _list(items: ApprovalItem[]): void {
    for (const item of items) {
      this._listed.add(item.approval.id);
      this._put(item);
    }
  }

  /** Take a state of a known question; whether it may be answered does not change. */
  private _take(approval: Approval): void {
    if (approval.state !== 'waiting') {
      this._listed.add(approval.id);
    }
    const known = this._known.get(approval.id) ?? { may_answer: false, server: '' };
    this._put({ ...known, approval });
  }

  /** A closed question is never opened again by a late answer. */
  private _put(item: ApprovalItem): void {
    const { id, state } = item.approval;
    const before = this._known.get(id);
    if (before && before.approval.state !== 'waiting' && state === 'waiting') {
      return;
    }
    this._known.set(id, item);
    this.tell();
    if (!before && state === 'waiting') {
      (this.asked as Signal<this, ApprovalItem>).emit(item);
    } else if (before?.approval.state === 'waiting' && state !== 'waiting') {
      (this.over as Signal<this, Approval>).emit(item.approval);
    }
  }

  private _all(wanted: (item: ApprovalItem) => boolean): ApprovalItem[] {
    return [...this._known.values()].filter(wanted);
  }

  private async _guard(action: () => Promise<void>): Promise<void> {
    try {
      await action();
      this.problem = null;
      this.forbidden = false;
    } catch (reason) {
      // Without a connection what is shown stays; the next connection reads again.
      if (reason instanceof ApiError) {
        this.problem = reason.message;
        this.forbidden = reason.status === 403;
        if (this.forbidden) {
          this._known.clear();
        }
      }
    }
    this.tell();
  }

  private readonly _known = new Map<string, ApprovalItem>();
  private readonly _listed = new Set<string>();
  private readonly _runs = new Set<string>();
  private readonly _answering = new Set<string>();
  private _reading: Promise<void> | null = null;
  private _again = false;
}

/** All of it that says what would be done: the server refuses where the agent asks anything else. */
function shownOf(approval: Approval): NonNullable<NewAnswer['shown']> {
  const { title, question, tool, parts, runs, edits, folder, options } = approval;
  return { title, question, tool, parts, runs, edits, folder, options };
}
