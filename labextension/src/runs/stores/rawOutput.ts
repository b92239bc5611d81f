/**
 * All that a run's CLI has written, read again as long as the run works.
 */
import { Store } from '../../shared/store';
import { isFinal, type RunStore } from './runs';

/** In milliseconds. An output that takes long to read is read less often. */
const READ_AFTER = 1500;
const PAUSES_FOR_EACH_READ = 10;

export class RawOutput extends Store {
  constructor(
    private readonly _runs: Pick<RunStore, 'find' | 'get' | 'readRaw'>,
    private readonly _runId: string,
    private readonly _readAfter = READ_AFTER
  ) {
    super();
  }

  /** With a terminal’s control sequences; or why it cannot be read. What was read before a break stays. */
  text = '';
  /** Whether more may come. */
  isGrowing = false;

  override dispose(): void {
    this._stop();
    super.dispose();
  }

  /** Resolves when it was read for the first time; reading continues until the run has ended, or this is disposed of. */
  async follow(): Promise<void> {
    await this._runs.find(this._runId).catch(() => null); // reading says why
    await this._read();
    void this._readOn();
  }

  private async _readOn(): Promise<void> {
    while (this.isGrowing && !this.isDisposed) {
      const pause = new Promise<void>(resolve => {
        setTimeout(resolve, Math.max(this._readAfter, PAUSES_FOR_EACH_READ * this._took));
      });
      await Promise.race([pause, this._stopped]);
      if (!this.isDisposed) {
        await this._read();
      }
    }
  }

  /** A run that ends meanwhile is read once more. */
  private async _read(): Promise<void> {
    const run = this._runs.get(this._runId);
    const begun = Date.now();
    this.isGrowing = run !== undefined && !isFinal(run);
    try {
      this.text = await this._runs.readRaw(this._runId);
    } catch (reason) {
      this.text ||= String(reason);
    }
    this._took = Date.now() - begun;
    this.tell();
  }

  private _took = 0;
  private _stop: () => void = () => undefined;
  private readonly _stopped = new Promise<void>(resolve => {
    this._stop = resolve;
  });
}
