/**
 * Which frames of a run's output are new, over any number of connections. Pure.
 *
 * Kept events are counted from 0. A piece of text is not kept: it has the number of the next kept event, as all pieces
 * before that one have, and comes again over a new connection.
 */
import type { OutputFrame } from './types';

type Said = Extract<OutputFrame, { type: 'output' }>;

export class HeardOutput {
  /** Number of the kept event that is wanted next. */
  get since(): number {
    return this._since;
  }

  /** A new connection begins, at `since`. */
  connected(): void {
    this._repeated = this._pieces;
    this._isRepeating = this._pieceAt !== null;
  }

  /** Whether it has not come before; from now on it has. */
  isNew({ at, event, index }: Said): boolean {
    if (index < this._since) {
      return false;
    }
    if (event.type === 'TextDelta') {
      return this._isNewPiece(at);
    }
    this._since = index + 1;
    this._pieceAt = null;
    this._pieces = 0;
    this._isRepeating = false;
    return true;
  }

  private _isNewPiece(at: number): boolean {
    if (this._isRepeating && this._pieceAt !== null) {
      if (at < this._pieceAt) {
        return false;
      }
      if (at === this._pieceAt && this._repeated > 0) {
        this._repeated -= 1;
        return false;
      }
    }
    this._isRepeating = false;
    this._pieces = at === this._pieceAt ? this._pieces + 1 : 1;
    this._pieceAt = at;
    return true;
  }

  private _since = 0;
  /** Time of the last piece, and how many of that time have come. */
  private _pieceAt: number | null = null;
  private _pieces = 0;
  /** Of those, how many a new connection has still to bring again. */
  private _repeated = 0;
  private _isRepeating = false;
}
