/**
 * The runs of this page, "2 running" in the status bar, and what a screen reader says of runs.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';

import { IApprovals } from '../approvals';
import { IEditor } from '../editor';
import { lazily } from '../shared/lazy';
import { IAnnouncer, IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { IRuns } from './tokens';

export const runsPlugin: JupyterFrontEndPlugin<IRuns> = {
  id: 'jupyter-cabinet:runs',
  description: 'The runs that this page knows, kept up by the server’s events.',
  autoStart: true,
  requires: [IServer],
  provides: IRuns,
  activate: (_: JupyterFrontEnd, server: IServer): IRuns =>
    lazily(async () => {
      const [{ RunStore }, { client, events }] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './stores/runs'),
        server()
      ]);
      return new RunStore(client, events);
    })
};

export const statusPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:status',
  description: 'Shows what runs do, and speaks what must be heard at once.',
  autoStart: true,
  requires: [IRuns, IEditor, IApprovals, IAnnouncer],
  optional: [ITranslator, IStatusBar],
  activate: (
    app: JupyterFrontEnd,
    runs: IRuns,
    editor: IEditor,
    approvals: IApprovals,
    announcer: IAnnouncer,
    translator: ITranslator | null,
    statusBar: IStatusBar | null
  ) => {
    const trans = bundleOf(translator);
    void app.restored.then(async () => {
      const [{ keepNotificationsClear, showStatus, speak }, store] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './indicators'),
        runs()
      ]);
      keepNotificationsClear(app);
      showStatus(app, store, await store.workSwitch(), statusBar, trans);
      const { store: questions } = await approvals();
      speak({ runs: store, editor: await editor(), questions, announcer, trans });
    });
  }
};
