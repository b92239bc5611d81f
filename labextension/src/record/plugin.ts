/**
 * What agents did, in a tab. All of it is loaded after the start.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IAgents } from '../agents';
import { IApprovals } from '../approvals';
import { IRuns } from '../runs';
import { IChoices, IRuntimes } from '../runtimes';
import { IAnnouncer, IServer } from '../shared/tokens';

export const recordPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:record',
  description: 'One list of what agents did, from which they can be asked for more.',
  autoStart: true,
  requires: [IServer, IAnnouncer, IAgents, IRuntimes, IChoices, IApprovals, IRuns],
  optional: [ITranslator, IDefaultFileBrowser, IRenderMimeRegistry],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    announcer: IAnnouncer,
    agents: IAgents,
    runtimes: IRuntimes,
    choices: IChoices,
    approvals: IApprovals,
    runs: IRuns,
    translator: ITranslator | null,
    browser: IDefaultFileBrowser | null,
    rendermime: IRenderMimeRegistry | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    void app.restored.then(async () => {
      const [{ addRecordCommands }, made] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './tab'),
        server()
      ]);
      const parts = { agents, runtimes, choices, approvals, runs, browser, rendermime };
      addRecordCommands({ app, server: made, announcer, ...parts, trans });
    });
  }
};
