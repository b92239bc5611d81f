/**
 * Open documents and the agents that edit them: saved before a run, read again after a write, and a strip over
 * each that reports what happens. All that the start needs; the rest is loaded after it.
 */
import {
  ILabShell,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator } from '@jupyterlab/translation';

import { IApprovals } from '../approvals';
import { IChanges } from '../changes';
import { IRuns } from '../runs';
import { lazily } from '../shared/lazy';
import { SETTINGS } from '../shared/settings';
import { IAnnouncer, IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { OpenDocuments } from './openDocuments';
import { IDocumentFollower } from './tokens';

export const followerPlugin: JupyterFrontEndPlugin<IDocumentFollower> = {
  id: 'jupyter-cabinet:document-follower',
  description: 'Saves open documents before a run, and reloads them afterwards.',
  autoStart: true,
  requires: [IServer, IRuns, IDocumentManager],
  optional: [ITranslator],
  provides: IDocumentFollower,
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    runs: IRuns,
    documentManager: IDocumentManager,
    translator: ITranslator | null
  ): IDocumentFollower => {
    const trans = bundleOf(translator);
    return lazily(async () => {
      const [{ DocumentFollower }, { connection, events }, store] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './stores/follower'),
        server(),
        runs()
      ]);
      return new DocumentFollower({
        contents: app.serviceManager.contents,
        documents: new OpenDocuments(app, documentManager, trans),
        runs: store,
        events,
        username: () => connection.username
      });
    });
  }
};

export const documentsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:documents',
  description: 'Says over a document what an agent does to it.',
  autoStart: true,
  requires: [IDocumentFollower, IServer, IRuns, IApprovals, IChanges, IAnnouncer, IDocumentManager],
  optional: [ITranslator, ILabShell, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    follower: IDocumentFollower,
    server: IServer,
    runs: IRuns,
    approvals: IApprovals,
    changes: IChanges,
    announcer: IAnnouncer,
    documentManager: IDocumentManager,
    translator: ITranslator | null,
    labShell: ILabShell | null,
    settingRegistry: ISettingRegistry | null
  ) => {
    const trans = bundleOf(translator);
    void app.restored.then(async () => {
      const [parts, store, runStore, made] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './afterStart'),
        follower(),
        runs(),
        server()
      ]);
      const documents = new OpenDocuments(app, documentManager, trans);
      const shared = { app, announcer, documents, follower: store, labShell, trans };
      const changed = new parts.ChangesInDocuments({ ...shared, runs: runStore, changes });
      const unsaved = new parts.UnsavedTexts({ ...shared, connection: made.connection });
      parts.showStrips({ ...shared, server: made, changed, unsaved });
      if (labShell) {
        parts.showTabNews({ runs: runStore, documents, labShell, trans });
        const mayScroll = changed.shown.mayScrollFor.bind(changed.shown);
        parts.showProposals({ approvals: await approvals(), documents, labShell, mayScroll });
      }
      const settings = await settingRegistry?.load(SETTINGS);
      const apply = () => {
        store.followChanges = settings?.composite.followChanges !== false;
      };
      apply();
      settings?.changed.connect(apply);
    });
  }
};
