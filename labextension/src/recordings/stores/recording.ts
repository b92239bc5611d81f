/**
 * One recording for its player: its parts are read one after the other, so that the first can be played while the
 * others come; read again when more of it was recorded.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { CabinetEvent, Recording } from '../../api/types';
import { reasonText } from '../../shared/liveStore';
import { Store } from '../../shared/store';
import { EMPTY_TIMELINE, withPart, type ITimeline } from './asciicast';

/** `load` begins to read it; it is kept up until it is disposed of. */
export class RecordingStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    private readonly _events: EventStream,
    readonly recordingId: string
  ) {
    super();
    _events.happened.connect(this._onEvent, this);
  }

  /** Null until the server has sent it. */
  recording: Recording | null = null;
  /** What can be played of it now. */
  timeline: ITimeline = EMPTY_TIMELINE;
  isLoading = false;
  /** Why it cannot be read. */
  problem: string | null = null;

  override dispose(): void {
    this._events.happened.disconnect(this._onEvent, this);
    super.dispose();
  }

  /** Read it, or what has been recorded since. A later call overtakes this one. */
  async load(): Promise<void> {
    const request = ++this._request;
    this.isLoading = true;
    this.tell();
    try {
      await this._read(() => request === this._request && !this.isDisposed);
    } catch (reason) {
      if (request === this._request) {
        this.isLoading = false;
        this.problem = reasonText(reason);
      }
    }
    this.tell();
  }

  private async _read(isWanted: () => boolean): Promise<void> {
    const recording = await this._client.recording(this.recordingId);
    // A recording that plays already does not return to its first part.
    const isFirst = this.timeline === EMPTY_TIMELINE;
    let timeline = EMPTY_TIMELINE;
    for (const part of recording.parts) {
      if (!isWanted()) {
        return;
      }
      const text = await this._client.cast(this.recordingId, part.number);
      timeline = withPart(timeline, text, part.seconds);
      if (isFirst && isWanted()) {
        Object.assign(this, { recording, timeline });
        this.tell();
      }
    }
    if (isWanted()) {
      Object.assign(this, { recording, timeline, isLoading: false, problem: null });
    }
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    const news = event as CabinetEvent;
    if (news.type === 'recording_closed' && news.recording.id === this.recordingId) {
      void this.load();
    }
  }

  private _request = 0;
}
