/**
 * Suggested next prompts for one session, made by a run of its CLI. As long as the session is selected, a run starts only
 * once for each of its states, and only if the person has switched on the suggestions.
 */
import type { PastSessionRoutes } from '../../api/pastSessionRoutes';
import type { CliSession } from '../../api/types';
import { reasonText } from '../../shared/liveStore';
import { Store } from '../../shared/store';

export class NextPromptStore extends Store {
  constructor(
    private readonly _routes: PastSessionRoutes,
    private readonly _shown: { readonly session: CliSession }
  ) {
    super();
  }

  prompts: readonly string[] = [];
  /** Why there are none. */
  problem: string | null = null;

  get isWorking(): boolean {
    return this._run !== null;
  }

  /** Start a run, unless the session has not changed since the last one. */
  async ask(): Promise<void> {
    const { ended_at, id } = this._shown.session;
    if (this.isWorking || this._askedAt === ended_at) {
      return;
    }
    this._askedAt = ended_at;
    this._run = '';
    this.prompts = [];
    this.problem = null;
    this.tell();
    try {
      this._run = (await this._routes.suggestNext(id)).id;
      await this._read(); // it may have ended before its id was known
    } catch (reason) {
      this._askedAt = undefined; // nothing was started: the next attempt may succeed
      this._end(reasonText(reason));
    }
  }

  /** Events were missed: the run may have ended. */
  async missed(): Promise<void> {
    if (this._run) {
      await this._read();
    }
  }

  /** A run of this server has ended. */
  async hear(run: string): Promise<void> {
    if (run === this._run) {
      await this._read();
    }
  }

  async stop(): Promise<void> {
    if (this._run) {
      await this._routes.stop(this._run).catch(() => undefined); // it has just ended
    }
  }

  private async _read(): Promise<void> {
    const run = this._run!;
    try {
      const { is_final, problem, prompts } = await this._routes.nextPrompts(
        this._shown.session.id,
        run
      );
      if (is_final && run === this._run) {
        this.prompts = prompts;
        this._end(problem || null);
      }
    } catch (reason) {
      if (run === this._run) {
        this._end(reasonText(reason));
      }
    }
  }

  private _end(problem: string | null): void {
    this._run = null;
    this.problem = problem;
    this.tell();
  }

  /** Null: none; empty: it is being started. */
  private _run: string | null = null;
  private _askedAt: number | null | undefined = undefined;
}
