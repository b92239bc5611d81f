/**
 * The runs this page knows, newest state of each; kept up by the event stream. Of those that have ended the ones that
 * were asked for last are kept: a page may stay open for days.
 * It decides nothing about a run: the server does.
 */
import { Signal, type ISignal } from '@lumino/signaling';

import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { CabinetEvent, NewRun, Run, RunEvent, RunState, SandboxRecord } from '../../api/types';
import { lazily, type Lazy } from '../../shared/lazy';
import { RecentMap } from '../../shared/recentMap';
import { PROGRAM } from '../../shared/programs';
import { Store } from '../../shared/store';
import type { OutputPool } from './outputPool';
import type { WorkSwitchStore } from './workSwitch';

/** What the server's table of states says (`tests/fixtures/rules/run_states.json`). */
const STATES: Readonly<Record<RunState, 'queued' | 'working' | 'final'>> = {
  queued: 'queued',
  starting: 'working',
  running: 'working',
  waiting: 'working',
  succeeded: 'final',
  failed: 'final',
  timed_out: 'final',
  cancelled: 'final',
  interrupted: 'final',
  skipped: 'final'
};

const RUN_EVENTS: Readonly<Record<RunEvent['type'], true>> = {
  run_queued: true,
  run_started: true,
  run_waiting: true,
  run_resumed: true,
  run_updated: true,
  run_finished: true
};

function isRunEvent(event: { type: string }): event is RunEvent {
  return Object.hasOwn(RUN_EVENTS, event.type);
}

/** Whether it has ended: its state never changes again. */
export function isFinal(run: Pick<Run, 'state'>): boolean {
  return STATES[run.state] === 'final';
}

/** Whether a process of this run lives. */
export function isWorking(run: Pick<Run, 'state'>): boolean {
  return STATES[run.state] === 'working';
}

/** Whether this person may decide about it, and end it. */
export function isOwn({ owner }: Pick<Run, 'owner'>, username: string | null): boolean {
  return owner === username || owner === PROGRAM;
}

/** Whether an answer tells less than what is known of its run. A final state is the last one, whatever its number. */
function isOlder(run: Run, known: Run): boolean {
  if (isFinal(run) || isFinal(known)) {
    return isFinal(known) && (!isFinal(run) || run.result?.cut === true);
  }
  return run.revision < known.revision;
}

/** So many runs that have ended are known at a time, and of so many is known that they began here. */
export const MOST_ENDED = 2_000;
const MOST_BEGUN = 10_000;

/** `updated` fires for each new state of one run, `changed` for any. */
export class RunStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    private readonly _events: EventStream
  ) {
    super();
    _events.happened.connect(this._onEvent, this);
    _events.onMissed(() => void this.load().catch(() => undefined)); // the next connection asks again
  }

  /** One run has a new state, or is new. */
  readonly updated: ISignal<this, Run> = new Signal<this, Run>(this);
  readonly sessionClosed: ISignal<this, string> = new Signal<this, string>(this);

  get(id: string): Run | undefined {
    return this._active.get(id) ?? this._ended.get(id);
  }

  /** Runs that are not final, oldest first. */
  get active(): Run[] {
    return [...this._active.values()].sort((a, b) => a.number - b.number);
  }

  get working(): Run[] {
    return this.active.filter(isWorking);
  }

  /** How many runs of its session wait behind the one that works there. */
  waitingWith({ session_id }: Run): number {
    const beside = this.active.filter(run => run.session_id === session_id);
    return beside.some(isWorking) ? beside.length - beside.filter(isWorking).length : 0;
  }

  /** Read what is active now. After a break some of ours may have ended unseen: they are asked for. */
  async load(): Promise<void> {
    const known = this.active;
    const { items } = await this._client.runs({ limit: 50 });
    items.forEach(run => this.put(run));
    const listed = new Set(items.map(run => run.id));
    const unseen = known.filter(run => !listed.has(run.id));
    const again = await Promise.allSettled(unseen.map(run => this._client.run(run.id)));
    again.forEach(found => found.status === 'fulfilled' && this.put(found.value));
  }

  async submit(run: NewRun): Promise<Run> {
    return this.put(await this._client.submit(run));
  }

  async cancel(id: string): Promise<Run> {
    return this.put(await this._client.cancel(id));
  }

  /** Rejects as the server refuses. */
  async sendNow(id: string): Promise<Run> {
    return this.put(await this._client.sendNow(id));
  }

  /** One that this page may not know, with its whole answer. Rejects where the server does not show it. */
  async find(id: string): Promise<Run> {
    const known = this.get(id);
    return known && !known.result?.cut ? known : this.put(await this._client.run(id));
  }

  /** Among the newest 200; null: none of them has changed a file. */
  async newestWithChanges(): Promise<Run | null> {
    const { items } = await this._client.runs({ limit: 200 });
    return items.find(run => (run.changed?.files ?? 0) > 0) ?? null;
  }

  /** The newest run about a document that has begun; null: none has. */
  async newestAbout(path: string): Promise<Run | null> {
    const { items } = await this._client.runs({ path, limit: 20 });
    return items.find(({ state }) => state !== 'queued' && state !== 'skipped') ?? null;
  }

  /** Whether it was asked for while this page was open: no document that was opened later can know its id. */
  beganHere(id: string): boolean {
    return this._begun.get(id) ?? false;
  }

  /** One that this page may not know, as an earlier one. */
  read(id: string): Promise<Run> {
    return this._client.run(id);
  }

  /** All that the run's CLI wrote, with a terminal's control sequences. */
  readRaw(id: string): Promise<string> {
    return this._client.raw(id);
  }

  /** What an isolated run could see, change and reach. */
  readSandbox(id: string): Promise<SandboxRecord> {
    return this._client.sandbox(id);
  }

  /** What runs say while they work. Its code is loaded when it is first asked for. */
  readonly outputs: Lazy<OutputPool> = lazily(async () => {
    const { OutputPool } = await import(/* webpackChunkName: "run-output" */ './outputPool');
    return new OutputPool(this._client);
  });

  /** Whether anything is started at all. Its code is loaded when it is first asked for. */
  readonly workSwitch: Lazy<WorkSwitchStore> = lazily(async () => {
    const { WorkSwitchStore } = await import(/* webpackChunkName: "after-start" */ './workSwitch');
    return new WorkSwitchStore(this._client, this._events);
  });

  /**
   * Take a run that came with another answer, unless what is known is newer: the event stream overtakes answers. Nor
   * is its whole answer replaced by the beginning of it that a list has.
   */
  put(run: Run): Run {
    const known = this.get(run.id);
    if (known && isOlder(run, known)) {
      return known;
    }
    if (isFinal(run)) {
      this._active.delete(run.id);
      this._ended.set(run.id, run);
    } else {
      this._active.set(run.id, run);
    }
    (this.updated as Signal<this, Run>).emit(run);
    this.tell();
    return run;
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    const known = event as CabinetEvent;
    if (known.type === 'session_closed') {
      (this.sessionClosed as Signal<this, string>).emit(known.session_id);
    } else if (isRunEvent(event)) {
      if (event.type === 'run_queued') {
        this._begun.set(event.run.id, true);
      }
      this.put(event.run);
    }
  }

  private readonly _active = new Map<string, Run>();
  private readonly _ended = new RecentMap<string, Run>(MOST_ENDED);
  private readonly _begun = new RecentMap<string, boolean>(MOST_BEGUN);
}
