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
export interface IAttachmentSource {
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
  attachable: IAttachmentSource;
  outputs: OutputPool;
  /** Where work goes on after a button that is gone or done with. */
  focusComposer: () => void;
}

export const Services = React.createContext<IPanelServices | null>(null);

export function useServices(): IPanelServices {
  return React.useContext(Services)!;
}
