/**
 * Carries what is said to those who listen instead of look to the live regions.
 * What is said is in `utterances.ts`.
 */
import { Signal, type ISignal } from '@lumino/signaling';

/** `urgent`: it interrupts what is being read. */
export interface IAnnouncement {
  text: string;
  urgent: boolean;
}

/** Passes on; the live regions that listen say it. */
export class Announcer {
  readonly said: ISignal<this, IAnnouncement> = new Signal<this, IAnnouncement>(this);

  polite(text: string): void {
    this._say({ text, urgent: false });
  }

  urgent(text: string): void {
    this._say({ text, urgent: true });
  }

  say(announcement: IAnnouncement | null): void {
    if (announcement) {
      this._say(announcement);
    }
  }

  private _say(announcement: IAnnouncement): void {
    (this.said as Signal<this, IAnnouncement>).emit(announcement);
  }
}
