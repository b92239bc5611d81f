/**
 * All recordings that this person may see; read again when one ends and when a terminal comes or goes.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { CabinetEvent, Recording } from '../../api/types';
import { Store } from '../../shared/store';

const CHANGES: ReadonlySet<string> = new Set<CabinetEvent['type']>([
  'recording_closed',
  'terminal_opened',
  'terminal_changed',
  'terminal_closed'
]);

/** Who reads the list, as the connection knows it. */
interface IReader {
  mayRun: boolean;
  ownsAll: boolean;
  username: string | null;
}

/** Whoever started the terminal, and administrators. The server decides. */
export function mayDelete({ owner }: Pick<Recording, 'owner'>, who: IReader): boolean {
  return who.mayRun && (who.ownsAll || owner === who.username);
}

/** Kept up until it is disposed of. */
export class RecordingListStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    private readonly _events: EventStream
  ) {
    super();
    _events.happened.connect(this._onEvent, this);
    this._stop = _events.onMissed(() => void this.load());
  }

  /** Newest first; null until the first answer. */
  items: Recording[] | null = null;
  /** Why they cannot be read; what was read before stays. */
  problem: string | null = null;

  override dispose(): void {
    this._stop();
    this._events.happened.disconnect(this._onEvent, this);
    super.dispose();
  }

  /** A late answer never takes the place of a newer one. */
  async load(): Promise<void> {
    const request = ++this._request;
    try {
      const { items } = await this._client.recordings();
      if (request === this._request) {
        this.items = items;
        this.problem = null;
      }
    } catch (reason) {
      if (request === this._request) {
        this.problem = reason instanceof Error ? reason.message : String(reason);
      }
    }
    this.tell();
  }

  /** Rejects where the server refuses. */
  async remove(id: string): Promise<void> {
    await this._client.deleteRecording(id);
    await this.load();
  }

  /** One part as a file that asciinema plays. */
  readPart(id: string, part: number): Promise<string> {
    return this._client.cast(id, part);
  }

  private _onEvent(_: EventStream, { type }: { type: string }): void {
    if (CHANGES.has(type)) {
      void this.load();
    }
  }

  private readonly _stop: () => void;
  private _request = 0;
}
