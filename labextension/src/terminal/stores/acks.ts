/**
 * When to tell the server how much is drawn: at once after every so many bytes, and soon when all of it is. Pure;
 * `terminal.ts` asks after each drawn write.
 */

/** The server paces a program by these; more often than this tells it nothing new. */
export const ACK_BYTES = 32 << 10;
/** The echo of a key is painted first: nobody waits to hear that it was drawn. */
export const ACK_PAUSE_MS = 20;

/** Offsets are bytes since the program’s start. */
export class Acks {
  /** A new stretch of output begins at `offset`. */
  start(offset: number): void {
    this._told = offset;
  }

  /** Everything before `drawn` is on the screen, everything before `received` has arrived. */
  due(drawn: number, received: number): 'now' | 'soon' | null {
    if (drawn - this._told >= ACK_BYTES) {
      return 'now';
    }
    return drawn >= received && drawn > this._told ? 'soon' : null;
  }

  /** The server knows of everything before `offset`. */
  told(offset: number): void {
    this._told = offset;
  }

  private _told = 0;
}
