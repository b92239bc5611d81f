/**
 * The terminal's look, from the settings and the application's theme.
 */
import type { IThemeManager } from '@jupyterlab/apputils';
import { Signal, type ISignal } from '@lumino/signaling';

import type { ITerminalLook } from '../panels/parts/services';

export class Look implements ITerminalLook {
  constructor(themes: IThemeManager | null) {
    // The new theme's values are there after the next frame.
    themes?.themeChanged.connect(() => requestAnimationFrame(() => this._tell()), this);
  }

  readonly changed: ISignal<this, void> = new Signal<this, void>(this);
  fontSize = 12;
  screenReader = false;

  set(fontSize: number, screenReader: boolean): void {
    this.fontSize = fontSize;
    this.screenReader = screenReader;
    this._tell();
  }

  private _tell(): void {
    (this.changed as Signal<this, void>).emit();
  }
}
