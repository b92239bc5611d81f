/**
 * The AI editor's sidebar, its commands and settings.
 */
import {
  ILabShell,
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IThemeManager } from '@jupyterlab/apputils';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { editIcon } from '@jupyterlab/ui-components';

import { Commands, labelled } from '../shared/commands';
import { cabinetIcon } from '../shared/icons/start';
import type { IEarlyServices } from './views/services';
import { LazySidebar } from '../shared/views/lazySidebar';
import { ComposerFocus } from './stores/composerFocus';
import { IApprovals, ICabinet, ITerminals } from '../shared/tokens';
import { CurrentDocument } from './currentDocument';
import { OpenDocuments } from '../documents/openDocuments';

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
  requires: [ICabinet, ITerminals, IApprovals, IDocumentManager, IEditorServices],
  optional: [
    ITranslator,
    IRenderMimeRegistry,
    INotebookTracker,
    IDefaultFileBrowser,
    ILayoutRestorer,
    ISettingRegistry,
    IThemeManager,
    ILabShell
  ],
  activate: (
    app: JupyterFrontEnd,
    cabinet: ICabinet,
    terminals: ITerminals,
    approvals: IApprovals,
    documentManager: IDocumentManager,
    editorServices: IEditorServices,
    translator: ITranslator | null,
    rendermime: IRenderMimeRegistry | null,
    notebookTracker: INotebookTracker | null,
    fileBrowser: IDefaultFileBrowser | null,
    restorer: ILayoutRestorer | null,
    settingRegistry: ISettingRegistry | null,
    themeManager: IThemeManager | null,
    labShell: ILabShell | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    cabinetIcon.bindprops({}); // known by its name to the settings editor
    const documents = new OpenDocuments(app, documentManager, trans);
    const current = new CurrentDocument(app, documents);
    const { appearance } = cabinet;
    // The new theme's values are there after the next frame.
    themeManager?.themeChanged.connect(() =>
      requestAnimationFrame(() => appearance.themeChanged())
    );
    const state = new ComposerFocus();
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
        const file = app.serviceManager.contents.get(path, { content: false });
        if (!(await file.catch(() => null))) {
          return; // deleted or renamed: JupyterLab would open a tab for nothing
        }
        const widget = documentManager.openOrReveal(path);
        await widget?.revealed;
        await cabinet.editor.setDocument(path);
      },
      askModel: async () => (await import('./views/modelDialog')).askModel(trans),
      showOutput: async runId =>
        (await import('../runs/views/outputDialog')).showOutput(cabinet, runId, trans)
    };
    const label = trans.__('AI editor');
    const sidebar = new LazySidebar('cabinet-editor', label, editIcon, async () => {
      const { createEditorPanel } = await import('./views/widget');
      const { DocumentAttachments } = await import('./documentAttachments');
      const attachable = new DocumentAttachments(current, notebookTracker, trans);
      const [parts, questions] = await Promise.all([terminals(), approvals()]);
      const focusComposer = () => state.focusComposer();
      const outputs = await cabinet.outputs();
      const panel = { ...services, attachable, outputs, focusComposer };
      return createEditorPanel(panel, parts, questions, state);
    });
    sidebar.focusInside = () => state.focusComposer();
    sidebar.makeRoom = () => labShell?.collapseLeft();
    app.shell.add(sidebar, 'right', { rank: 50, type: 'AI editor' });
    restorer?.add(sidebar, sidebar.id);
    app.serviceManager.contents.fileChanged.connect((_, { type, oldValue, newValue }) => {
      const [old, next] = [oldValue, newValue].map(it => it?.path && documents.localPath(it.path));
      if (type === 'rename' && old && next) {
        void cabinet.editor.moved(old, next);
      }
    });
    current.changed.connect(() => void cabinet.editor.setDocument(current.path));
    const open = () => app.shell.activateById(sidebar.id);
    app.commands.addCommand(Commands.openEditor, {
      label: labelled(trans.__('Ask an agent'), trans),
      caption: trans.__('Ask an agent to work on the current document'),
      icon: editIcon,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: open
    });
    void app.restored.then(async () => {
      const { addEditorCommands, loadSettings } = await import(
        /* webpackChunkName: "restored" */ './commands'
      );
      addEditorCommands({ app, cabinet, services, sidebar, state, fileBrowser, trans });
      await loadSettings(settingRegistry, cabinet);
    });
  }
};
