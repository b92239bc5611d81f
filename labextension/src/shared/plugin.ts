/**
 * The plugins that the others need: the connection to the server, and the screen reader’s voice. They show nothing.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';

import { Announcer } from './announcer';
import { lazily } from './lazy';
import { IAnnouncer, IServer } from './tokens';

export const serverPlugin: JupyterFrontEndPlugin<IServer> = {
  id: 'jupyter-cabinet:core',
  description: 'Connects this page with the server.',
  autoStart: true,
  provides: IServer,
  activate: (app: JupyterFrontEnd): IServer => {
    const server = lazily(async () => {
      const { makeServer } = await import(/* webpackChunkName: "after-start" */ './server');
      return makeServer(app.serviceManager.serverSettings);
    });
    void app.restored.then(async () => (await server()).events.open());
    return server;
  }
};

export const announcerPlugin: JupyterFrontEndPlugin<IAnnouncer> = {
  id: 'jupyter-cabinet:announcer',
  description: 'Passes on what a screen reader shall say.',
  autoStart: true,
  provides: IAnnouncer,
  activate: (): IAnnouncer => new Announcer()
};
