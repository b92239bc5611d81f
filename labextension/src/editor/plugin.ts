/**
 * The AI editor: its state, its sidebar, and the command that opens it. All that the start needs; the rest is loaded
 * after it.
 */
import {
  ILabShell,
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';
import { editIcon } from '@jupyterlab/ui-components';

import { IApprovals } from '../approvals';
import { IChanges } from '../changes';
import { IDocumentFollower, OpenDocuments } from '../documents';
import { IRuns } from '../runs';
import { IChoices, IRuntimes } from '../runtimes';
import { Commands, labelled, NO_ARGS } from '../shared/commands';
import { cabinetIcon } from '../shared/icons/start';
import { lazily } from '../shared/lazy';
import { IAnnouncer, IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { LazySidebar } from '../shared/views/lazySidebar';
import { ITerminals } from '../terminal';
import { CurrentDocument } from './currentDocument';
import { ComposerFocus } from './stores/composerFocus';
import { IEditor } from './tokens';

/** Its code comes when the page has started. */
const afterStart = () => import(/* webpackChunkName: "after-start" */ './afterStart');

export const editorPlugin: JupyterFrontEndPlugin<IEditor> = {
  id: 'jupyter-cabinet:editor',
  description: 'What the AI editor knows.',
  autoStart: true,
  requires: [IServer, IRuns, IChoices, IDocumentFollower],
  provides: IEditor,
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    runs: IRuns,
    choices: IChoices,
    documents: IDocumentFollower
  ): IEditor =>
    lazily(async () => {
      const [{ EditorStore }, { client, connection, events }] = await Promise.all([
        afterStart(),
        server()
      ]);
      const store = new EditorStore({
        client,
        events,
        runs: await runs(),
        choices: await choices(),
        documents: await documents(),
        username: () => connection.username
      });
      const { baseUrl } = app.serviceManager.serverSettings;
      store.drafts.keep(connection, window.localStorage, `jupyter-cabinet:drafts:${baseUrl}`);
      return store;
    })
};

export const editorPanelPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:plugin',
  description: 'The AI editor: agents that work on the open document.',
  autoStart: true,
  requires: [
    IServer,
    IAnnouncer,
    IEditor,
    IRuns,
    IRuntimes,
    IChoices,
    ITerminals,
    IApprovals,
    IChanges,
    IDocumentManager,
    IEditorServices
  ],
  optional: [
    ITranslator,
    IRenderMimeRegistry,
    INotebookTracker,
    IDefaultFileBrowser,
    ILayoutRestorer,
    ILabShell
  ],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    announcer: IAnnouncer,
    editor: IEditor,
    runs: IRuns,
    runtimes: IRuntimes,
    choices: IChoices,
    terminals: ITerminals,
    approvals: IApprovals,
    changes: IChanges,
    documentManager: IDocumentManager,
    editorServices: IEditorServices,
    translator: ITranslator | null,
    rendermime: IRenderMimeRegistry | null,
    notebookTracker: INotebookTracker | null,
    fileBrowser: IDefaultFileBrowser | null,
    restorer: ILayoutRestorer | null,
    labShell: ILabShell | null
  ) => {
    const trans = bundleOf(translator);
    cabinetIcon.bindprops({}); // known by its name to the settings editor
    const documents = new OpenDocuments(app, documentManager, trans);
    // From the start: which document was current last cannot be asked for later.
    const current = new CurrentDocument(app, documents);
    const focus = new ComposerFocus();
    const parts = lazily(async () => {
      const [{ makeActions, followDocuments }, store, { connection }] = await Promise.all([
        afterStart(),
        editor(),
        server()
      ]);
      followDocuments(app, store, current, documents);
      const actions = makeActions({
        app,
        editor: store,
        runs,
        terminals,
        current,
        documentManager,
        focus,
        trans
      });
      return { editor: store, connection, actions };
    });
    const label = trans.__('AI editor');
    const sidebar = new LazySidebar('cabinet-editor', label, editIcon, async () => {
      const [{ createEditorPanel }, { actions, ...made }] = await Promise.all([
        import(/* webpackChunkName: "editor" */ './panel'),
        parts()
      ]);
      const [runStore, runtimeStore, choiceStore, changesStore] = await Promise.all([
        runs(),
        runtimes(),
        choices(),
        changes()
      ]);
      return createEditorPanel({
        services: {
          ...made,
          ...actions,
          runs: runStore,
          runtimes: runtimeStore,
          choices: choiceStore,
          changes: changesStore,
          announcer,
          rendermime,
          editorServices
        },
        current,
        notebookTracker,
        terminals: await terminals(),
        approvals: await approvals(),
        focus
      });
    });
    sidebar.focusInside = () => focus.focusComposer();
    sidebar.makeRoom = () => {
      // A person may have moved it to the left.
      if (sidebar.parent?.id !== 'jp-left-stack') {
        labShell?.collapseLeft();
      }
    };
    app.shell.add(sidebar, 'right', { rank: 50, type: 'AI editor' });
    restorer?.add(sidebar, sidebar.id);
    app.commands.addCommand(Commands.openEditor, {
      label: labelled(trans.__('Ask an agent'), trans),
      caption: trans.__('Ask an agent to work on the current document'),
      icon: editIcon,
      describedBy: NO_ARGS,
      execute: () => app.shell.activateById(sidebar.id)
    });
    void app.restored.then(async () => {
      const [{ addEditorCommands }, made, runtimeStore] = await Promise.all([
        afterStart(),
        parts(),
        runtimes()
      ]);
      addEditorCommands({
        ...made,
        app,
        runtimes: runtimeStore,
        sidebar,
        focus,
        fileBrowser,
        trans
      });
    });
  }
};
