/**
 * How terminals look, from the settings and the application's theme.
 */
import { Store } from '../../shared/store';

/** `fontSize` is in pixels. `changed` tells also of a new theme. */
export class TerminalAppearance extends Store {
  fontSize = 12;
  screenReader = false;

  set(fontSize: number, screenReader: boolean): void {
    this.fontSize = fontSize;
    this.screenReader = screenReader;
    this.tell();
  }

  /** The theme is another one. */
  themeChanged(): void {
    this.tell();
  }
}
