/**
 * Work on one document that must not overlap: a save in the middle of a change would take the file for somebody else's.
 * Pure.
 */

/** One for each document. `Name`: of work that need not wait twice. */
export class WorkQueue<Name extends string> {
  /** Do some work when all earlier work has ended, whether it succeeded or failed. */
  add<T>(work: () => Promise<T>): Promise<T> {
    const done = this._last.then(work);
    const over = () => undefined;
    this._last = done.then(over, over);
    return done;
  }

  /** The same; what still waits is not asked for twice, or frequent saves would keep changes waiting. */
  addOnce(name: Name, work: () => Promise<void>): Promise<void> {
    const begin = () => {
      this._waiting.delete(name);
      return work();
    };
    const waiting = this._waiting.get(name) ?? this.add(begin);
    this._waiting.set(name, waiting);
    return waiting;
  }

  private _last: Promise<void> = Promise.resolve();
  private readonly _waiting = new Map<Name, Promise<void>>();
}
