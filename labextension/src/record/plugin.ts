/**
 * What agents did, in a tab. All of it is loaded after the start.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IAnnouncer, IServer } from '../shared/tokens';

export const recordPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:record',
  description: 'One list of what agents did.',
  autoStart: true,
  requires: [IServer, IAnnouncer],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    announcer: IAnnouncer,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    void app.restored.then(async () => {
      const [{ addRecordCommand }, made] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './tab'),
        server()
      ]);
      addRecordCommand(app, made, announcer, trans);
    });
  }
};
