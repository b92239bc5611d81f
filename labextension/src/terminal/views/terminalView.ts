/**
 * A terminal on the screen: xterm, sized, themed, hooked, and fed by a `TerminalStore`, or by a recording.
 * It decides nothing about who may type; the store does. Loaded lazily.
 */
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { Terminal } from '@xterm/xterm';

import type { Size } from '../../api/types';
import { hookQueries, isReport } from '../stores/queries';
import { fittingFont, sameSize, smallerFont } from '../stores/scale';
import { answersQueries, refusal } from '../stores/rules';
import { SizeClaim } from '../stores/sizeClaim';
import type { IScreen, TerminalStore } from '../stores/terminal';
import { screenAnswers } from './queryAnswers';
import { hollowCursorWhile } from './cursor';
import { followEndOfOutput, type IEndOfOutput } from './endOfOutput';
import { goesToProgram, leaveByEscape } from './keys';
import { screenText, visibleRows } from './screenText';
import { terminalTheme } from './theme';
import { drawWithWebgl } from './webgl';
import { makeEmulator } from './emulator';

/** `fontSize` is in pixels. */
export interface ITerminalViewOptions {
  fontSize: number;
  screenReader: boolean;
  confirmLink: (address: URL) => Promise<boolean>;
  /** The name of the scrolling region, which has a Tab stop. */
  frameLabel: string;
  onSize?: (size: Size) => void;
  /** A person has left it by Esc Esc; without this its frame has the focus then. */
  onLeave?: () => void;
  /** Whether a pressed key belongs to a shortcut of ours now, and not to the program. */
  isOurs?: (event: KeyboardEvent) => boolean;
}

/** Drawn in `host` as soon as it is made; `ready` when its size is final. */
export class TerminalView implements IDisposable {
  constructor(
    readonly host: HTMLElement,
    private readonly _options: ITerminalViewOptions
  ) {
    this._xterm = makeEmulator(host, _options, _options.confirmLink);
    this._xterm.loadAddon(this._fit);
    this._xterm.loadAddon(this._search);
    this._xterm.open(host);
    this._end = followEndOfOutput(this._xterm, host);
    hollowCursorWhile(this._xterm, () => this._isLocked);
    hookQueries(this._xterm.parser, screenAnswers(this._xterm, host), data => this._reply(data));
    this._xterm.onData(data => this._onData(data));
    this._xterm.onBinary(data => this._onData(data, true));
    const isMac = navigator.platform.startsWith('Mac');
    this._xterm.attachCustomKeyEventHandler(
      event =>
        !(event.type === 'keydown' && _options.isOurs?.(event)) &&
        goesToProgram(event, this._xterm, isMac)
    );
    this._stopEscape = leaveByEscape(host, this._xterm, _options.frameLabel, _options.onLeave);
    this._observer = new ResizeObserver(() => this._onPane());
    this._observer.observe(host);
    this.fit();
    this.ready = _options.screenReader
      ? Promise.resolve()
      : drawWithWebgl(
          this._xterm,
          () => this._isDisposed,
          () => this._refit()
        );
  }

  /** The size is final: it is that of the way of drawing. */
  readonly ready: Promise<void>;

  store: TerminalStore | null = null;
  /** Of a screen whose size is somebody else's. */
  scale: 'fit' | 'actual' = 'fit';
  /** Whether the scale makes a difference now. */
  isScalable = false;
  readonly scaled: ISignal<this, void> = new Signal<this, void>(this);

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  get size(): Size {
    return { cols: this._xterm.cols, rows: this._xterm.rows };
  }

  /** In pixels from the screen's top: where the line of the cursor ends. */
  get cursorBottom(): number {
    const { cursorY } = this._xterm.buffer.active;
    const height = this.host.querySelector('.xterm-screen')?.clientHeight ?? 0;
    return ((cursorY + 1) * height) / Math.max(1, this._xterm.rows);
  }

  /** Follow a live terminal: `connect` gives the connection that feeds this screen. */
  async attach(connect: (screen: IScreen) => Promise<TerminalStore>): Promise<void> {
    const store = await connect(this._screen());
    if (this._isDisposed) {
      store.dispose();
      return;
    }
    this.store = store;
    this._claim = new SizeClaim(store, () => document.hidden); // first: its answers count for the fit
    store.changed.connect(this._onChanged, this);
    store.told.connect(this.fit, this);
    store.open();
  }

  /** Show what a terminal wrote once; nothing can be typed. */
  replay(text: string): void {
    this._xterm.options.disableStdin = true;
    this._xterm.write(text);
  }

  /** Play a recording: nothing can be typed, and the size is the recording's. */
  playback(): { resize: (size: Size) => void; reset: () => void; write: (text: string) => void } {
    this._xterm.options.disableStdin = true;
    this._isLocked = true;
    return {
      resize: size => {
        // In the order of what is written.
        this._xterm.write('', () => {
          this._playbackSize = size;
          this.fit();
        });
      },
      reset: () => this._xterm.write('', () => this._xterm.reset()),
      write: text => this._xterm.write(text)
    };
  }

  focus(): void {
    this._xterm.focus();
  }

  setScale(scale: 'fit' | 'actual'): void {
    this.scale = scale;
    this._refit();
  }

  find(text: string, backwards = false): boolean {
    const isFound = backwards ? this._search.findPrevious(text) : this._search.findNext(text);
    this._end.leave();
    return isFound;
  }

  clearFind(): void {
    this._search.clearDecorations();
    this._xterm.clearSelection();
  }

  screenText(): string {
    return screenText(this._xterm);
  }

  visibleRows(): string {
    return visibleRows(this._xterm);
  }

  restyle(fontSize: number, screenReader: boolean): void {
    this._options.fontSize = fontSize;
    this._xterm.options.theme = terminalTheme(this.host);
    this._xterm.options.screenReaderMode = screenReader;
    this._refit();
  }

  /** The controller's pane decides the size; everybody else sees that size, made to fit. */
  fit(): void {
    const { offsetWidth, offsetHeight } = this.host;
    if (!offsetWidth || !offsetHeight || this._isDisposed) {
      return;
    }
    const followed = this._followed;
    const { fontSize } = this._options;
    const wanted = [offsetWidth, offsetHeight, fontSize, followed?.cols, followed?.rows].join();
    if (wanted !== this._fitted) {
      this._fitted = wanted;
      this._fitTo(followed);
    }
    this._claim?.tell(this._pane);
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._claim?.dispose();
    this._stopEscape();
    this._observer.disconnect();
    this.store?.dispose();
    // xterm 5.5 looks at its sizes in a timer of its opening, also after its end.
    setTimeout(() => this._xterm.dispose());
    Signal.clearData(this);
  }

  private get _followed(): Size | null {
    return this._claim?.followed ?? this._playbackSize;
  }

  private _refit(): void {
    this._fitted = '';
    this.fit();
  }

  private _fitTo(followed: Size | null): void {
    const { fontSize } = this._options;
    this._setFont(fontSize);
    const pane = this._fit.proposeDimensions();
    if (!pane || !(pane.cols > 1) || !(pane.rows > 1)) {
      return;
    }
    this._pane = { cols: pane.cols, rows: pane.rows };
    this._resize(followed ?? this._pane);
    this.host.classList.toggle('jp-mod-followed', followed !== null);
    const fitting = followed && fittingFont(fontSize, this._pane, followed);
    this._tellScalable(fitting !== null && fitting < fontSize);
    for (
      let font = this.scale === 'fit' ? fitting : null;
      font !== null;
      font = this._fits(followed!) ? null : smallerFont(font)
    ) {
      this._setFont(font);
    }
    this._options.onSize?.(this._pane);
  }

  private _tellScalable(isScalable: boolean): void {
    this.isScalable = isScalable;
    (this.scaled as Signal<this, void>).emit();
  }

  private _fits(wanted: Size): boolean {
    const pane = this._fit.proposeDimensions();
    return !pane || (pane.cols >= wanted.cols && pane.rows >= wanted.rows);
  }

  private _setFont(fontSize: number): void {
    if (this._xterm.options.fontSize !== fontSize) {
      this._xterm.options.fontSize = fontSize;
    }
  }

  private _resize({ cols, rows }: Size): void {
    if (!sameSize({ cols, rows }, this.size)) {
      this._xterm.resize(cols, rows);
      this._end.restore();
    }
  }

  private _onPane(): void {
    this._claim?.onPane();
    this.fit();
  }

  private _screen(): IScreen {
    const xterm = this._xterm;
    const pane = () => this._pane ?? this.size;
    return {
      get size() {
        return pane();
      },
      // In the order of what was written: an empty write calls back when all before it is shown.
      reset: () => xterm.write('', () => xterm.reset()),
      write: (bytes, shown) => xterm.write(bytes, shown)
    };
  }

  private _onData(data: string, binary = false): void {
    const { store } = this;
    if (!store) {
      return;
    }
    // Focus and mouse reports are xterm's doing: they go where keys may go, and flash nothing.
    if ((binary || isReport(data)) && refusal(store.state) !== null) {
      return;
    }
    if (!binary && this._claim?.onTyped()) {
      this.fit();
    }
    store.type(binary ? Uint8Array.from(data, character => character.charCodeAt(0)) : data);
  }

  private _reply(data: string): void {
    const { store } = this;
    if (store?.connected && !store.replaying && answersQueries(store.state)) {
      store.send({ type: 'reply', data });
    }
  }

  private _onChanged(store: TerminalStore): void {
    const isLocked = !store.connected || refusal(store.state) !== null;
    if (isLocked !== this._isLocked) {
      this._isLocked = isLocked;
      this.host.classList.toggle('jp-mod-locked', isLocked);
      this._xterm.refresh(0, this._xterm.rows - 1); // the cursor's shape
    }
    this.fit();
  }

  private readonly _xterm: Terminal;
  private readonly _fit = new FitAddon();
  private readonly _search = new SearchAddon();
  private readonly _observer: ResizeObserver;
  private readonly _stopEscape: () => void;
  private readonly _end: IEndOfOutput;
  /** What fits with the person's own font. */
  private _pane: Size | null = null;
  private _playbackSize: Size | null = null;
  private _claim: SizeClaim | null = null;
  private _fitted = '';
  private _isLocked = false;
  private _isDisposed = false;
}
