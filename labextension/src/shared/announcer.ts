/**
 * Carries what is said to those who listen instead of look to the live regions.
 * What is said is in `utterances.ts`.
 */
import { Signal, type ISignal } from '@lumino/signaling';

export interface IUtterance {
  text: string;
  urgent: boolean;
}

export class Speech {
  readonly said: ISignal<this, IUtterance> = new Signal<this, IUtterance>(this);

  polite(text: string): void {
    this._say({ text, urgent: false });
  }

  urgent(text: string): void {
    this._say({ text, urgent: true });
  }

  say(utterance: IUtterance | null): void {
    if (utterance) {
      this._say(utterance);
    }
  }

  private _say(utterance: IUtterance): void {
    (this.said as Signal<this, IUtterance>).emit(utterance);
  }
}
