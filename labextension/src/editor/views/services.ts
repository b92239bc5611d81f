/**
 * What the panels are given: stores to read, callbacks to call. They reach for nothing else.
 */
import type { IEditorServices } from '@jupyterlab/codeeditor';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ISignal } from '@lumino/signaling';
import * as React from 'react';

import type { Attachment } from '../../api/types';
import type { OutputPool } from '../../runs/stores/outputPool';
import type { ICabinet, ITerminals } from '../../shared/tokens';

/** Pieces of the current document that can be attached now. */
export interface IPieces {
  readonly changed: ISignal<unknown, void>;
  offered(): Attachment[];
}

/** What is there from the start. */
export interface IEarlyServices {
  cabinet: ICabinet;
  trans: TranslationBundle;
  rendermime: IRenderMimeRegistry | null;
  editorServices: IEditorServices;
  terminals: ITerminals;
  /** The current document's name on its tab, for people. */
  documentName: () => string | null;
  documentKind: () => 'notebook' | 'file';
  run: (command: string, args?: Record<string, string>) => void;
  has: (command: string) => boolean;
  openMenu: (anchor: HTMLElement) => Promise<void>;
  focusDocument: () => void;
  /** Go to a document; nothing happens where there is none any more. */
  openDocument: (path: string) => Promise<void>;
  askModel: () => Promise<string | null>;
  showOutput: (runId: string) => Promise<void>;
}

export interface IPanelServices extends IEarlyServices {
  pieces: IPieces;
  outputs: OutputPool;
  /** Where work goes on after a button that is gone or done with. */
  focusComposer: () => void;
}

export const Services = React.createContext<IPanelServices | null>(null);

export function useServices(): IPanelServices {
  return React.useContext(Services)!;
}

/** Draw again whenever one of the signals fires. */
export function useChanges(...signals: ISignal<unknown, unknown>[]): void {
  const [, bump] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    const slot = () => bump();
    signals.forEach(signal => signal.connect(slot));
    bump(); // something may have changed between drawing and connecting
    return () => signals.forEach(signal => void signal.disconnect(slot));
    // The signals of a store are made once with it.
  }, signals);
}

/** The time now, moved on each second while `ticking`. */
export function useNow(ticking: boolean): Date {
  const [now, setNow] = React.useState(() => new Date());
  React.useEffect(() => {
    setNow(new Date());
    if (!ticking) {
      return;
    }
    const timer = setInterval(() => setNow(new Date()), 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}

/** True once `active` has lasted for so many milliseconds, until it ends. */
export function useLasting(active: boolean, milliseconds: number): boolean {
  const [lasting, setLasting] = React.useState(false);
  React.useEffect(() => {
    if (!active) {
      return;
    }
    const timer = setTimeout(() => setLasting(true), milliseconds);
    return () => {
      clearTimeout(timer);
      setLasting(false);
    };
  }, [active, milliseconds]);
  return active && lasting;
}

/** False at first, true after `milliseconds` of being mounted. */
export function useAfter(milliseconds: number): boolean {
  const [passed, setPassed] = React.useState(false);
  React.useEffect(() => {
    const timer = setTimeout(() => setPassed(true), milliseconds);
    return () => clearTimeout(timer);
  }, [milliseconds]);
  return passed;
}
