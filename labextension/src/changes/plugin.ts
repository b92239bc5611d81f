/**
 * What runs have changed: the store, and the review in a tab. All of it is loaded after the start.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IRuns } from '../runs';
import { lazily } from '../shared/lazy';
import { IAnnouncer, IServer } from '../shared/tokens';
import { IChanges } from './tokens';

export const changesPlugin: JupyterFrontEndPlugin<IChanges> = {
  id: 'jupyter-cabinet:changes',
  description: 'What runs have changed in the workspace.',
  autoStart: true,
  requires: [IServer, IRuns],
  provides: IChanges,
  activate: (_: JupyterFrontEnd, server: IServer, runs: IRuns): IChanges =>
    lazily(async () => {
      const [{ ChangesStore }, { client, events }] = await Promise.all([
        import(/* webpackChunkName: "changes" */ './stores/changes'),
        server()
      ]);
      return new ChangesStore(client, events, await runs());
    })
};

export const reviewPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:review',
  description: 'Reviews what a run has changed, in a tab.',
  autoStart: true,
  requires: [IServer, IRuns, IChanges, IAnnouncer],
  optional: [IEditorLanguageRegistry, IRenderMimeRegistry, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    runs: IRuns,
    changes: IChanges,
    announcer: IAnnouncer,
    languages: IEditorLanguageRegistry | null,
    rendermime: IRenderMimeRegistry | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    void app.restored.then(async () => {
      const [{ addReviewCommand }, { connection }, runStore] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './commands'),
        server(),
        runs()
      ]);
      addReviewCommand(app, {
        changes,
        connection,
        runs: runStore,
        announcer,
        languages,
        rendermime,
        trans
      });
    });
  }
};
