/**
 * What every store is: values that are read as properties, and one signal after each change.
 * No DOM, no React; panels listen.
 */
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

/** Disposed of, it tells nothing any more. */
export abstract class Store implements IDisposable {
  readonly changed: ISignal<this, void> = new Signal<this, void>(this);

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
  }

  protected tell(): void {
    if (!this._isDisposed) {
      (this.changed as Signal<this, void>).emit();
    }
  }

  private _isDisposed = false;
}
