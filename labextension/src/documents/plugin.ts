/**
 * The strip over each open document that an agent edits. Its parts are loaded after the start.
 */
import {
  ILabShell,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { ICabinet } from '../shared/tokens';
import { OpenDocuments } from './openDocuments';

export const documentsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:documents',
  description: 'Says over a document that an agent edits it, and asks where both have changed it.',
  autoStart: true,
  requires: [ICabinet, IDocumentManager],
  optional: [ITranslator, ILabShell],
  activate: (
    app: JupyterFrontEnd,
    cabinet: ICabinet,
    documentManager: IDocumentManager,
    translator: ITranslator | null,
    labShell: ILabShell | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    void app.restored.then(async () => {
      const { followDocuments } = await import(/* webpackChunkName: "restored" */ './strips');
      followDocuments(
        app,
        cabinet,
        new OpenDocuments(app, documentManager, trans),
        labShell,
        trans
      );
    });
  }
};
