/**
 * What the AI editor's commands and panel can do, and which document it is about. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { OpenDocuments } from '../documents';
import type { IRuns } from '../runs';
import { Commands } from '../shared/commands';
import { FIND_IN_TERMINAL, CHECK_RUNTIMES } from '../shared/lateCommands';
import type { ITerminals } from '../terminal';
import type { CurrentDocument } from './currentDocument';
import type { ComposerFocus } from './stores/composerFocus';
import type { EditorStore } from './stores/editor';
import type { IEditorActions } from './views/services';

const MENU = [Commands.showOutput, FIND_IN_TERMINAL, Commands.closeSession, CHECK_RUNTIMES];

/** Each action shows its own failure; none of them rejects. */
export function makeActions(options: {
  app: JupyterFrontEnd;
  editor: EditorStore;
  runs: IRuns;
  terminals: ITerminals;
  current: CurrentDocument;
  documentManager: IDocumentManager;
  focus: ComposerFocus;
  trans: TranslationBundle;
}): IEditorActions {
  const { app, current, documentManager, editor, focus, runs, terminals, trans } = options;
  return {
    trans,
    documentName: () => current.name,
    documentKind: () => current.kind,
    run: (command, args) => void app.commands.execute(command, args),
    has: command => app.commands.isVisible(command),
    openMenu: async anchor => (await terminals()).openCommands(anchor, MENU),
    focusComposer: () => focus.focusComposer(),
    focusDocument: () => current.focus(),
    openDocument: async path => {
      const file = app.serviceManager.contents.get(path, { content: false });
      if (!(await file.catch(() => null))) {
        return; // deleted or renamed: JupyterLab would open a tab for nothing
      }
      const widget = documentManager.openOrReveal(path);
      await widget?.revealed;
      await editor.setDocument(path);
    },
    askModel: async () => {
      const { askModel } = await import(/* webpackChunkName: "editor" */ './views/modelDialog');
      return askModel(trans);
    },
    showOutput: async runId => {
      const { showOutput } = await import(/* webpackChunkName: "run-output" */ '../runs/views');
      await showOutput(await runs(), runId, trans);
    }
  };
}

/** The editor is about the current document, under the name that it has now. */
export function followDocuments(
  app: JupyterFrontEnd,
  editor: EditorStore,
  current: CurrentDocument,
  documents: OpenDocuments
): void {
  app.serviceManager.contents.fileChanged.connect((_, { type, oldValue, newValue }) => {
    const [old, next] = [oldValue, newValue].map(it => it?.path && documents.localPath(it.path));
    if (type === 'rename' && old && next) {
      void editor.moved(old, next);
    }
  });
  const follow = () => void editor.setDocument(current.path);
  current.changed.connect(follow);
  follow();
}
