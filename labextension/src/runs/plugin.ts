/**
 * "2 running" in the status bar, our commands in the palette, and the application's region for what must be heard at once.
 * Its parts are loaded after the start.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IApprovals, ICabinet } from '../shared/tokens';

export const statusPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:status',
  description: 'Shows how many runs work, and speaks what must be heard at once.',
  autoStart: true,
  requires: [ICabinet, IApprovals],
  optional: [ITranslator, IStatusBar, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    cabinet: ICabinet,
    approvals: IApprovals,
    translator: ITranslator | null,
    statusBar: IStatusBar | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    void app.restored.then(async () => {
      const { listCommands, makeRoom, showStatus, speak } = await import(
        /* webpackChunkName: "restored" */ './indicators'
      );
      showStatus(app, cabinet, statusBar, trans);
      makeRoom(app);
      listCommands(palette, cabinet, trans);
      speak(cabinet, (await approvals()).store, trans);
    });
  }
};
