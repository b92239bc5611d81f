/**
 * What agents did, in a tab. Its code is loaded after the start.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';
import { historyIcon } from '@jupyterlab/ui-components';

import { IAgents } from '../agents';
import { IApprovals } from '../approvals';
import { IRuns } from '../runs';
import { IChoices, IRuntimes } from '../runtimes';
import { Commands } from '../shared/commands';
import { lazily } from '../shared/lazy';
import { IAnnouncer, IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { restoredTab } from '../shared/views/restoredTabs';

const ID = 'cabinet-activity';

export const activityPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:activity',
  description: 'A list of what agents did.',
  autoStart: true,
  requires: [IServer, IAnnouncer, IAgents, IRuntimes, IChoices, IApprovals, IRuns],
  optional: [ITranslator, IDefaultFileBrowser, IRenderMimeRegistry, ILayoutRestorer],
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
    rendermime: IRenderMimeRegistry | null,
    restorer: ILayoutRestorer | null
  ) => {
    const trans = bundleOf(translator);
    const tab = lazily(async () => {
      const [{ activityTab }, made] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './tab'),
        server()
      ]);
      const parts = { agents, runtimes, choices, approvals, runs, browser, rendermime };
      return activityTab({ app, server: made, announcer, ...parts, trans });
    });
    restoredTab(app, restorer, trans, {
      namespace: ID,
      command: Commands.activity,
      label: trans.__('Activity'),
      caption: trans.__('Each run: who asked, what was allowed, what it changed and cost'),
      icon: historyIcon,
      type: 'Activity',
      fill: async made => (await tab()).fill(made)
    });
    void app.restored.then(async () =>
      (await tab()).addNewRun(() => app.shell.currentWidget?.id === ID)
    );
  }
};
