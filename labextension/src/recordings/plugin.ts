/**
 * Recordings of terminals: their list and their player, in tabs. All of it is loaded after the start.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';

import { IServer } from '../shared/tokens';
import { ITerminals } from '../terminal';

export const recordingsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:recordings',
  description: 'Recordings of terminals: their list, and a player.',
  autoStart: true,
  requires: [IServer, ITerminals],
  activate: (app: JupyterFrontEnd, server: IServer, terminals: ITerminals) => {
    void app.restored.then(async () => {
      const [{ addRecordingCommands }, made, services] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './commands'),
        server(),
        terminals()
      ]);
      addRecordingCommands(app, made, services);
    });
  }
};
