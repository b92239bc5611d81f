/**
 * Whose pane gives a terminal its size. The controller's does; where they have it open in several tabs, that of the tab
 * used last, and the others show that size as everybody else does.
 */
import type { IDisposable } from '@lumino/disposable';

import type { Size } from '../../api/types';
import { youControl } from './rules';
import { sameSize } from './scale';
import type { IReceivedFrame, TerminalStore } from './terminal';

/** A pane that is being dragged tells its size so often at most. */
export const RESIZE_PAUSE_MS = 120;

/** Listens to the frames of its store until it is disposed of. */
export class SizeClaim implements IDisposable {
  /** `isHidden`: whether nobody sees this page now. */
  constructor(
    private readonly _store: TerminalStore,
    private readonly _isHidden: () => boolean
  ) {
    _store.told.connect(this._onTold, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The size that somebody else, or another tab of ours, has given the terminal; null where this pane gives it. */
  get followed(): Size | null {
    const { state } = this._store;
    return youControl(state) && this._claims ? null : state.size;
  }

  /** A person has resized this pane: it counts again where this connection is the one used last. */
  onPane(): void {
    this._claims ||= this._store.state.you?.primary ?? false;
  }

  /** A person has typed here, and wants to see what they type in this pane's size. True where it changes something. */
  onTyped(): boolean {
    const isNew = youControl(this._store.state) && !this._claims;
    this._claims ||= isNew;
    return isNew;
  }

  /** Tell the server what fits into this pane, soon and once, where it counts and is not known there. */
  tell(pane: Size | null): void {
    this._pane = pane;
    if (!pane || !this._mayTell || sameSize(pane, this._known)) {
      return;
    }
    clearTimeout(this._telling);
    this._telling = setTimeout(() => {
      if (this._mayTell && !sameSize(pane, this._known)) {
        this._sent.push(pane);
        this._lastSent = pane;
        this._store.send({ type: 'resize', ...pane });
      }
    }, RESIZE_PAUSE_MS);
  }

  dispose(): void {
    this._isDisposed = true;
    clearTimeout(this._telling);
    this._store.told.disconnect(this._onTold, this);
  }

  private get _mayTell(): boolean {
    const { connected, state } = this._store;
    return connected && this._claims && youControl(state) && !state.exited;
  }

  /** What the server knows, or is about to. */
  private get _known(): Size | null {
    return this._sent[this._sent.length - 1] ?? this._store.state.size;
  }

  private _onTold(store: TerminalStore, { frame }: IReceivedFrame): void {
    if (frame.type === 'hello') {
      this._claims = frame.you.primary;
      this._lastSent = store.attachedSize;
      this._awaitsOwn = false;
      // The attach has told a size too: until it is confirmed another one is not somebody else's.
      const isPending = this._claims && !sameSize(store.attachedSize, frame.size);
      this._sent = isPending && store.attachedSize ? [store.attachedSize] : [];
    } else if (frame.type === 'control_taken' || frame.type === 'control_granted') {
      this._claims = youControl(store.state) && !this._isHidden();
      this._awaitsOwn = this._claims;
      this._sent = [];
    } else if (frame.type === 'resized') {
      const mine = this._sent.findIndex(size => sameSize(size, frame));
      const isOwn = this._awaitsOwn && sameSize(frame, this._lastSent);
      this._awaitsOwn = false;
      this._sent.splice(0, mine + 1);
      this._claims &&= mine >= 0 || isOwn || sameSize(frame, this._pane);
    }
  }

  private _pane: Size | null = null;
  /** What the server knows of this pane. It is out of date if the pane has changed while somebody else had control. */
  private _lastSent: Size | null = null;
  /** With control, the server first applies `_lastSent`, which is then no size of another tab. */
  private _awaitsOwn = false;
  /** Told to the server, and not yet confirmed. */
  private _sent: Size[] = [];
  private _claims = true;
  private _telling: ReturnType<typeof setTimeout> | undefined;
  private _isDisposed = false;
}
