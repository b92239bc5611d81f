/**
 * What runs have changed: the store, and the command that reviews it in a tab. All of it is loaded after the start.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { IFormRendererRegistry } from '@jupyterlab/ui-components';

import { IRuns } from '../runs';
import { lazily } from '../shared/lazy';
import { IAnnouncer, IServer } from '../shared/tokens';
import { lazyElement } from '../shared/views/lazyElement';
import { IChanges } from './tokens';

export const changesPlugin: JupyterFrontEndPlugin<IChanges> = {
  id: 'jupyter-cabinet:changes',
  description: 'What runs have changed in the workspace, and its review in a tab.',
  autoStart: true,
  requires: [IServer, IRuns, IAnnouncer],
  optional: [IEditorLanguageRegistry, IRenderMimeRegistry, ITranslator, IFormRendererRegistry],
  provides: IChanges,
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    runs: IRuns,
    announcer: IAnnouncer,
    languages: IEditorLanguageRegistry | null,
    rendermime: IRenderMimeRegistry | null,
    translator: ITranslator | null,
    renderers: IFormRendererRegistry | null
  ): IChanges => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    const changes: IChanges = lazily(async () => {
      const [{ ChangesStore }, { client, events }] = await Promise.all([
        import(/* webpackChunkName: "changes" */ './stores/changes'),
        server()
      ]);
      return new ChangesStore(client, events, await runs());
    });
    const section = lazyElement(async () => {
      const [{ makeKeptSection }, { KeptStore }, { client }] = await Promise.all([
        import(/* webpackChunkName: "kept-changes" */ './views/KeptSection'),
        import(/* webpackChunkName: "kept-changes" */ './stores/kept'),
        server()
      ]);
      return makeKeptSection(new KeptStore(client), trans);
    });
    const drawn = section({});
    renderers?.addRenderer('jupyter-cabinet:plugin.changes', { fieldRenderer: () => drawn });
    void app.restored.then(async () => {
      const { addReviewCommand } = await import(/* webpackChunkName: "after-start" */ './commands');
      const [{ connection }, store] = await Promise.all([server(), runs()]);
      const rest = { announcer, languages, rendermime, trans };
      addReviewCommand(app, { changes, connection, runs: store, ...rest });
    });
    return changes;
  }
};
