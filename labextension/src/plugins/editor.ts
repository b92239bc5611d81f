/**
 * The AI editor's sidebar, its commands and settings.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, IThemeManager } from '@jupyterlab/apputils';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator, type TranslationBundle } from '@jupyterlab/translation';

import { Commands } from '../commands';
import { cabinetIcon } from '../icons/start';
import type { IEarlyServices } from '../panels/parts/services';
import { EditorSidebar } from '../panels/sidebar';
import { SidebarState } from '../state/sidebar';
import { ICabinet, ITerminals } from '../tokens';
import { CurrentDocument } from './currentDocument';
import { addEditorCommands } from './editorCommands';
import { OpenDocuments } from './openDocuments';

const MENU = [
  Commands.showOutput,
  Commands.findInTerminal,
  Commands.closeSession,
  Commands.checkRuntimes
];

export const editorPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:plugin',
  description: 'The AI editor: agents that work on the open document, in the right sidebar.',
  autoStart: true,
  requires: [ICabinet, ITerminals, IDocumentManager, IEditorServices],
  optional: [
    ITranslator,
    IRenderMimeRegistry,
    INotebookTracker,
    IDefaultFileBrowser,
    ICommandPalette,
    ILayoutRestorer,
    ISettingRegistry,
    IThemeManager
  ],
  activate: (
    app: JupyterFrontEnd,
    cabinet: ICabinet,
    terminals: ITerminals,
    documentManager: IDocumentManager,
    editorServices: IEditorServices,
    translator: ITranslator | null,
    rendermime: IRenderMimeRegistry | null,
    notebookTracker: INotebookTracker | null,
    fileBrowser: IDefaultFileBrowser | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    settingRegistry: ISettingRegistry | null,
    themeManager: IThemeManager | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    cabinetIcon.bindprops({}); // known by its name to the settings editor
    const documents = new OpenDocuments(app, documentManager, trans);
    const current = new CurrentDocument(app, documents);
    const { look } = cabinet;
    // The new theme's values are there after the next frame.
    themeManager?.themeChanged.connect(() => requestAnimationFrame(() => look.themed()));
    const state = new SidebarState();
    const services: IEarlyServices = {
      cabinet,
      trans,
      rendermime,
      editorServices,
      terminals,
      documentName: () => current.name,
      documentKind: () => current.kind,
      run: (command, args) => void app.commands.execute(command, args),
      has: command => app.commands.hasCommand(command),
      openMenu: async anchor => (await terminals()).openCommands(anchor, MENU),
      focusDocument: () => current.focus(),
      openDocument: async path => {
        const widget = documentManager.openOrReveal(path);
        await widget?.revealed;
        await cabinet.editor.setDocument(path);
      },
      askModel: async () => (await dialogs()).askModel(trans),
      showOutput: async runId => (await dialogs()).showOutput(cabinet, runId, trans)
    };
    const sidebar = new EditorSidebar(trans, state, async () => {
      const { createEditorPanel } = await import('../panels/editor/widget');
      const { DocumentPieces } = await import('./pieces');
      const pieces = new DocumentPieces(current, notebookTracker, trans);
      return createEditorPanel({ ...services, pieces }, await terminals(), state);
    });
    app.shell.add(sidebar, 'right', { rank: 50, type: 'AI editor' });
    restorer?.add(sidebar, sidebar.id);
    current.changed.connect(() => void cabinet.editor.setDocument(current.path));
    const commands = {
      app,
      cabinet,
      services,
      sidebar,
      state,
      fileBrowser,
      trans
    };
    addEditorCommands(commands);
    addToPalette(palette, trans);
    void loadSettings(settingRegistry, cabinet);
  }
};

const dialogs = () => import('./dialogs');

function addToPalette(palette: ICommandPalette | null, trans: TranslationBundle): void {
  const category = trans.__('Cabinet');
  const shown = [
    Commands.openEditor,
    Commands.newSession,
    Commands.showHistory,
    Commands.stopRun,
    ...MENU
  ];
  shown.forEach(command => palette?.addItem({ command, category }));
}

async function loadSettings(registry: ISettingRegistry | null, cabinet: ICabinet): Promise<void> {
  const settings = await registry?.load(editorPlugin.id);
  const apply = () => {
    cabinet.look.set(
      settings?.composite.terminalFontSize as number,
      settings?.composite.terminalScreenReader as boolean
    );
    cabinet.follower.followChanges = settings?.composite.followChanges !== false;
  };
  if (settings) {
    apply();
    settings.changed.connect(apply);
  }
}
