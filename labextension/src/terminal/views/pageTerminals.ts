/**
 * The terminals on this page, the one used last on top: for commands, requests and tests.
 */
import { Signal, type ISignal } from '@lumino/signaling';

import type { TerminalStore } from '../stores/terminal';

/** What can be done about a terminal; each is a command too. */
export type TerminalVerb =
  | 'request'
  | 'release'
  | 'give'
  | 'deny'
  | 'pause'
  | 'resume'
  | 'stop'
  | 'agent'
  | 'record'
  | 'play'
  | 'link'
  | 'share'
  | 'private'
  | 'find'
  | 'close';

/** A terminal on the screen, live or recorded. */
export interface IPageTerminal {
  readonly store: TerminalStore | null;
  /** Whether a person looks at it, and at nothing else. */
  readonly isFocused: boolean;
  screenText(): string;
  visibleRows(): string;
  can(verb: TerminalVerb): boolean;
  act(verb: TerminalVerb, to?: string): void;
}

class PageTerminals {
  readonly changed: ISignal<this, void> = new Signal<this, void>(this);

  get current(): IPageTerminal | null {
    return this._all[0] ?? null;
  }

  get all(): readonly IPageTerminal[] {
    return this._all;
  }

  /** A terminal is new, or somebody went to it. */
  use(terminal: IPageTerminal): void {
    this._all = [terminal, ...this._all.filter(other => other !== terminal)];
    this.tell();
  }

  leave(terminal: IPageTerminal): void {
    this._all = this._all.filter(other => other !== terminal);
    this.tell();
  }

  tell(): void {
    (this.changed as Signal<this, void>).emit();
  }

  private _all: IPageTerminal[] = [];
}

/** One list for the page: panels and commands of all plugins share it. */
export const pageTerminals = new PageTerminals();
