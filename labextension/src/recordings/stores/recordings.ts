/**
 * All recordings that this person may see; read again when one ends and when a terminal comes or goes.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { CabinetEvent, Recording } from '../../api/types';
import { LiveStore } from '../../shared/liveStore';

const CHANGES: ReadonlySet<string> = new Set<CabinetEvent['type']>([
  'recording_closed',
  'terminal_opened',
  'terminal_changed',
  'terminal_closed',
  'terminal_hidden'
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
export class RecordingListStore extends LiveStore {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream
  ) {
    super(events);
    this.keepUp();
  }

  /** Newest first; null until the first answer. */
  items: Recording[] | null = null;

  /** A late answer never takes the place of a newer one. */
  load(): Promise<void> {
    return this.latest(
      () => this._client.recordings(),
      ({ items }) => {
        this.items = items;
      }
    );
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

  protected onEvent({ type }: CabinetEvent): void {
    if (CHANGES.has(type)) {
      this.reread();
    }
  }

  protected reread(): void {
    void this.load();
  }
}
