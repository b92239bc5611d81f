/**
 * Makes what approvals are shown with. Loaded when it is first needed.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IRuns } from '../runs';
import type { ICabinetServer } from '../shared/tokens';
import { askWhetherTrusted } from './folderTrust';
import { ApprovalStore } from './stores/approvals';
import { ReviewStore } from './stores/reviews';
import { ShownApprovals } from './stores/shownApprovals';
import type { IApprovalServices } from './views/services';

/** Begins to read the questions as soon as the server is connected. */
export function makeApprovals(options: {
  app: JupyterFrontEnd;
  server: ICabinetServer;
  runs: IRuns;
  trans: TranslationBundle;
}): IApprovalServices {
  const { app, runs, trans } = options;
  const { client, connection, events } = options.server;
  askWhetherTrusted(options.server, trans);
  return {
    connection,
    store: new ApprovalStore(client, events),
    reviews: new ReviewStore(client, events),
    shown: new ShownApprovals(),
    trans,
    run: (command, args) => void app.commands.execute(command, args),
    showOutput: async runId => {
      const { showOutput } = await import(/* webpackChunkName: "run-output" */ '../runs/views');
      await showOutput(await runs(), runId, trans);
    }
  };
}
