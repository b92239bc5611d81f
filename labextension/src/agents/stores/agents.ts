/**
 * The agents that are shown on this page, kept up by the event stream. One that nobody looks at is not read.
 */
import type { CabinetClient } from '../../api/client';
import { ApiError } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { AgentDetail, CabinetEvent } from '../../api/types';
import { Store } from '../../shared/store';

/** Events of one agent often come in a burst: it is read once after them. */
export const SETTLE_MS = 150;

/** What a person tells an agent. `stop` ends the run that works or waits for its turn. */
export type AgentVerb = 'run' | 'pause' | 'resume' | 'stop';

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
    events.onMissed(() => this._shown.forEach((_, slug) => void this._read(slug)));
  }

  /** Null until it was read. What was read before a break stays. */
  get(slug: string): AgentDetail | null {
    return this._shown.get(slug)?.detail ?? null;
  }

  problem(slug: string): AgentProblem | null {
    return this._shown.get(slug)?.problem ?? null;
  }

  /** Why the last thing that a person told it was not done. */
  refusal(slug: string): string | null {
    return this._shown.get(slug)?.refusal ?? null;
  }

  isBusy(slug: string): boolean {
    return this._shown.get(slug)?.isBusy ?? false;
  }

  /** Keeps an agent up to date until the answer is called. */
  watch(slug: string): () => void {
    const shown = this._shown.get(slug) ?? {
      watchers: 0,
      detail: null,
      problem: null,
      refusal: null,
      isBusy: false
    };
    this._shown.set(slug, shown);
    shown.watchers += 1;
    if (shown.watchers === 1) {
      void this._read(slug);
    }
    let isOver = false;
    return () => {
      shown.watchers -= isOver ? 0 : 1;
      isOver = true;
    };
  }

  /** Done when the server has done it; a refusal is in `refusal`. One thing at a time. */
  async tellAgent(slug: string, verb: AgentVerb): Promise<void> {
    const shown = this._shown.get(slug);
    if (!shown || shown.isBusy) {
      return;
    }
    Object.assign(shown, { isBusy: true, refusal: null });
    this.tell();
    try {
      await this._do(slug, verb, shown.detail?.run_id ?? null);
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
    const shown = this._shown.get(slug);
    if (!shown?.watchers) {
      return;
    }
    try {
      shown.detail = await this._client.agent(slug);
      shown.problem = null;
    } catch (reason) {
      shown.problem = problemOf(reason);
      if (shown.problem !== 'offline') {
        shown.detail = null;
      }
    }
    this.tell();
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    const known = event as CabinetEvent;
    const slug = 'agent' in known ? known.agent : 'run' in known ? known.run.agent : null;
    if (known.type === 'work_paused' || known.type === 'work_resumed') {
      this._shown.forEach((__, each) => this._later(each));
    } else if (slug && this._shown.get(slug)?.watchers) {
      this._later(slug);
    }
  }

  private _later(slug: string): void {
    if (!this._waiting.has(slug)) {
      this._waiting.add(slug);
      setTimeout(() => {
        this._waiting.delete(slug);
        void this._read(slug);
      }, SETTLE_MS);
    }
  }

  private readonly _shown = new Map<string, IShown>();
  private readonly _waiting = new Set<string>();
}

function problemOf(reason: unknown): AgentProblem {
  if (!(reason instanceof ApiError)) {
    return 'offline';
  }
  return reason.status === 403 ? 'forbidden' : 'absent';
}
