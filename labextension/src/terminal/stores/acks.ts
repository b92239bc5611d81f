/**
 * When to tell the server how much is drawn: after every so many bytes, and whenever all of it is.
 * Pure; `terminalStore.ts` asks after each drawn write.
 */

/** The server paces a program by these; more often than this tells it nothing new. */
export const ACK_BYTES = 32 << 10;

/** Offsets are bytes since the program’s start. */
export class Acks {
  /** A new stretch of output begins at `offset`. */
  start(offset: number): void {
    this._told = offset;
  }

  /** Everything before `drawn` is on the screen, everything before `received` has arrived: tell now? */
  isDue(drawn: number, received: number): boolean {
    const due = drawn >= received || drawn - this._told >= ACK_BYTES;
    if (due) {
      this._told = drawn;
    }
    return due;
  }

  private _told = 0;
}
