/**
 * Test prompts: for each runtime the last one that was sent from this page, and its outcome.
 */
import type { CabinetClient } from '../../api/client';
import type { Run } from '../../api/types';
import { isFinal, type RunStore } from '../../runs';
import { Store } from '../../shared/store';

/** Keys are names of runtimes. A refusal is kept as its `problem`. */
export class RuntimeTestStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    private readonly _runs: RunStore,
    /** A test has ended: what is known of the runtimes may be another now. */
    private readonly _onEnd: () => void
  ) {
    super();
    _runs.updated.connect(this._onRun, this);
  }

  run(runtime: string): Run | null {
    return this._tests.get(runtime) ?? null;
  }

  /** Why the prompt was not sent. */
  problem(runtime: string): string | null {
    return this._problems.get(runtime) ?? null;
  }

  isSending(runtime: string): boolean {
    return this._sending.has(runtime);
  }

  isWorking(runtime: string): boolean {
    const run = this.run(runtime);
    return this.isSending(runtime) || (run !== null && !isFinal(run));
  }

  async start(runtime: string): Promise<void> {
    if (this.isWorking(runtime)) {
      return;
    }
    this._sending.add(runtime);
    this._problems.delete(runtime);
    this._tests.delete(runtime);
    this.tell();
    await this._guard(runtime, async () => {
      const run = this._runs.put(await this._client.testRuntime(runtime));
      this._tests.set(runtime, run);
      if (isFinal(run)) {
        this._onEnd(); // news of its end came before the answer
      }
    });
    this._sending.delete(runtime);
    this.tell();
  }

  async stop(runtime: string): Promise<void> {
    const run = this.run(runtime);
    if (run) {
      await this._guard(runtime, async () => void (await this._runs.cancel(run.id)));
    }
  }

  private _onRun(_: RunStore, run: Run): void {
    const known = this._tests.get(run.runtime);
    if (known?.id === run.id) {
      this._tests.set(run.runtime, run);
      this.tell();
      if (isFinal(run) && !isFinal(known)) {
        this._onEnd();
      }
    }
  }

  private async _guard(runtime: string, action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (reason) {
      this._problems.set(runtime, reason instanceof Error ? reason.message : String(reason));
      this.tell();
    }
  }

  private readonly _tests = new Map<string, Run>();
  private readonly _problems = new Map<string, string>();
  private readonly _sending = new Set<string>();
}
