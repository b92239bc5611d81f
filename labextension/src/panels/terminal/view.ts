/**
 * A terminal on the screen: xterm, sized, themed, hooked, and fed by a `TerminalStore`, or by a text
 * that was recorded. It decides nothing about who may type; the store does. Loaded lazily.
 */
import type { IDisposable } from '@lumino/disposable';
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';

import type { CabinetClient } from '../../api/client';
import type { Size } from '../../api/types';
import { hookQueries, isReport } from '../../state/queries';
import { answersQueries, refusal, youControl } from '../../state/terminal';
import { TerminalStore, type IScreen } from '../../state/terminalStore';
import { safeUrl } from '../../state/untrusted';
import { screenAnswers } from './answers';
import { terminalTheme } from './theme';

/** Lines kept above the screen. */
const SCROLLBACK = 10_000;

export interface ITerminalViewOptions {
  fontSize: number;
  screenReader: boolean;
  confirmLink: (address: URL) => Promise<boolean>;
  onSize?: (size: Size) => void;
}

export class TerminalView implements IDisposable {
  constructor(
    readonly host: HTMLElement,
    private readonly _options: ITerminalViewOptions
  ) {
    this._xterm = new Terminal({
      allowProposedApi: true,
      cursorBlink: false,
      cursorInactiveStyle: 'outline',
      fontFamily: getComputedStyle(host).getPropertyValue('--jp-code-font-family') || 'monospace',
      fontSize: _options.fontSize,
      linkHandler: {
        activate: (_, address) => void this._follow(address),
        allowNonHttpProtocols: false
      },
      macOptionIsMeta: false,
      minimumContrastRatio: 4.5,
      screenReaderMode: _options.screenReader,
      scrollback: SCROLLBACK,
      theme: terminalTheme(host)
    });
    this._xterm.loadAddon(this._fit);
    this._xterm.loadAddon(this._search);
    this._xterm.loadAddon(new WebLinksAddon((_, address) => void this._follow(address, true)));
    this._xterm.open(host);
    hookQueries(this._xterm.parser, screenAnswers(this._xterm, host), data => this._reply(data));
    this._xterm.onData(data => this._onData(data));
    this._xterm.onBinary(data => this._onData(data, true));
    this._observer = new ResizeObserver(() => this.fit());
    this._observer.observe(host);
    this.fit();
  }

  store: TerminalStore | null = null;

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  get size(): Size {
    return { cols: this._xterm.cols, rows: this._xterm.rows };
  }

  /** Follow a live terminal. */
  attach(client: CabinetClient, terminalId: string): TerminalStore {
    const store = new TerminalStore(client, terminalId, this._screen());
    this.store = store;
    store.changed.connect(this._onChanged, this);
    store.open();
    return store;
  }

  /** Show what a terminal wrote once; nothing can be typed. */
  replay(text: string): void {
    this._xterm.options.disableStdin = true;
    this._xterm.write(text);
  }

  focus(): void {
    this._xterm.focus();
  }

  find(text: string, backwards = false): boolean {
    return backwards ? this._search.findPrevious(text) : this._search.findNext(text);
  }

  clearFind(): void {
    this._search.clearDecorations();
    this._xterm.clearSelection();
  }

  /** What stands on the screen and above it, line by line: for tests and for copying all. */
  screenText(): string {
    const buffer = this._xterm.buffer.active;
    const lines: string[] = [];
    for (let index = 0; index < buffer.length; index++) {
      const line = buffer.getLine(index);
      const text = line?.translateToString(true) ?? '';
      if (line?.isWrapped && lines.length) {
        lines[lines.length - 1] += text;
      } else {
        lines.push(text);
      }
    }
    return lines.join('\n').trimEnd();
  }

  restyle(fontSize: number, screenReader: boolean): void {
    this._xterm.options.theme = terminalTheme(this.host);
    this._xterm.options.fontSize = fontSize;
    this._xterm.options.screenReaderMode = screenReader;
    this.fit();
  }

  /** The controller's pane decides the size; everybody else sees that size and scrolls. */
  fit(): void {
    if (!this.host.offsetWidth || !this.host.offsetHeight) {
      return;
    }
    const pane = this._fit.proposeDimensions();
    const state = this.store?.state;
    const follows = state?.size && !youControl(state);
    const wanted = follows ? state.size! : pane;
    if (!wanted || !(wanted.cols > 1) || !(wanted.rows > 1)) {
      return;
    }
    if (wanted.cols !== this._xterm.cols || wanted.rows !== this._xterm.rows) {
      this._xterm.resize(wanted.cols, wanted.rows);
    }
    if (pane) {
      this._options.onSize?.({ cols: pane.cols, rows: pane.rows });
    }
    this._tellSize();
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._observer.disconnect();
    this.store?.dispose();
    this._xterm.dispose();
  }

  private _screen(): IScreen {
    const xterm = this._xterm;
    return {
      get size() {
        return { cols: xterm.cols, rows: xterm.rows };
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
    store.type(binary ? Uint8Array.from(data, character => character.charCodeAt(0)) : data);
  }

  private _reply(data: string): void {
    const { store } = this;
    if (store?.connected && !store.replaying && answersQueries(store.state)) {
      store.send({ type: 'reply', data });
    }
  }

  private _onChanged(store: TerminalStore): void {
    const locked = !store.connected || refusal(store.state) !== null;
    this.host.classList.toggle('jp-mod-locked', locked);
    this.fit();
  }

  private _tellSize(): void {
    const { store } = this;
    const state = store?.state;
    if (!store?.connected || !state?.size || !youControl(state) || state.exited) {
      return;
    }
    const { cols, rows } = this.size;
    const told = this._toldSize ?? state.size;
    if (cols !== told.cols || rows !== told.rows) {
      this._toldSize = { cols, rows };
      store.send({ type: 'resize', cols, rows });
    }
  }

  /** Only web addresses; one that hides behind another text only after it was shown. */
  private async _follow(address: string, isShown = false): Promise<void> {
    const url = safeUrl(address);
    if (url && (isShown || (await this._options.confirmLink(url)))) {
      window.open(url.href, '_blank', 'noopener,noreferrer');
    }
  }

  private readonly _xterm: Terminal;
  private readonly _fit = new FitAddon();
  private readonly _search = new SearchAddon();
  private readonly _observer: ResizeObserver;
  private _toldSize: Size | null = null;
  private _isDisposed = false;
}
