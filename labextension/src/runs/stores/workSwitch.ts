/**
 * The off switch of the whole root directory: whether anything new is started, and who has paused it.
 */
import { ApiError, type CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { WorkSwitch } from '../../api/types';
import { Store } from '../../shared/store';

/** Read at each connection and after each event about it. */
export class WorkSwitchStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream
  ) {
    super();
    events.happened.connect((_, { type }) => {
      if (type === 'work_paused' || type === 'work_resumed') {
        if (this.turnedHere !== (type === 'work_paused')) {
          this.turnedHere = null;
        }
        void this._read();
      }
    });
    events.onMissed(() => void this._read());
  }

  /** Null until it was read, and where this person may not read it. */
  state: WorkSwitch | null = null;
  isBusy = false;
  /** How this page has switched last; null where somebody else has switched since. */
  turnedHere: boolean | null = null;
  /** Why it was not switched. */
  refusal: string | null = null;

  get paused(): boolean {
    return this.state?.paused ?? false;
  }

  /** `now`: what works is ended too. True where the server has done it. */
  async turn(paused: boolean, now = false): Promise<boolean> {
    if (this.isBusy) {
      return false;
    }
    this.isBusy = true;
    this.turnedHere = paused; // its event may come before the answer
    this.refusal = null;
    this.tell();
    try {
      const state = await this._client.turnWorkSwitch(paused, now);
      this._begun += 1; // a reading that has begun before this answer is older
      this.state = state;
    } catch (reason) {
      this.refusal = (reason as Error).message;
    }
    this.isBusy = false;
    this.tell();
    return this.refusal === null;
  }

  private async _read(): Promise<void> {
    const number = ++this._begun;
    try {
      const state = await this._client.workSwitch();
      if (number === this._begun) {
        this.state = state;
      }
    } catch (reason) {
      if (reason instanceof ApiError) {
        this.state = null;
      }
    }
    this.tell();
  }

  private _begun = 0;
}
