/**
 * What the AI editor’s panel is given.
 */
import type { IEditorServices } from '@jupyterlab/codeeditor';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ISignal } from '@lumino/signaling';
import * as React from 'react';

import type { Attachment } from '../../api/types';
import type { ChangesStore } from '../../changes';
import type { OutputPool, RunStore, WorkSwitchStore } from '../../runs';
import type { ChoiceStore, RuntimeStore } from '../../runtimes';
import type { Announcer } from '../../shared/announcer';
import type { ConnectionStore } from '../../shared/connection';
import type { TerminalAppearance } from '../../terminal';
import type { EditorStore } from '../stores/editor';

/** Pieces of the current document that can be attached now. */
export interface IAttachmentSource {
  readonly changed: ISignal<unknown, void>;
  offered(): Attachment[];
}

/** What commands and panel share. */
export interface IEditorActions {
  trans: TranslationBundle;
  /** The current document's name on its tab, for people. */
  documentName: () => string | null;
  documentKind: () => 'notebook' | 'file';
  run: (command: string, args?: Record<string, string>) => void;
  /** Whether the command can be used in this application. */
  has: (command: string) => boolean;
  openMenu: (anchor: HTMLElement) => Promise<void>;
  /** Where work continues after a button that is gone or done with. */
  focusComposer: () => void;
  focusDocument: () => void;
  /** Go to a document; nothing happens if it no longer exists. */
  openDocument: (path: string) => Promise<void>;
  askModel: () => Promise<string | null>;
  showOutput: (runId: string) => Promise<void>;
}

/** What the panel is given: stores to read, callbacks to call. It reaches for nothing else. */
export interface IEditorPanelServices extends IEditorActions {
  editor: EditorStore;
  runs: RunStore;
  workSwitch: WorkSwitchStore;
  runtimes: RuntimeStore;
  choices: ChoiceStore;
  connection: ConnectionStore;
  announcer: Announcer;
  appearance: TerminalAppearance;
  rendermime: IRenderMimeRegistry | null;
  editorServices: IEditorServices;
  attachable: IAttachmentSource;
  outputs: OutputPool;
  changes: ChangesStore;
}

export const Services = React.createContext<IEditorPanelServices | null>(null);

export function useServices(): IEditorPanelServices {
  return React.useContext(Services)!;
}
