/**
 * Questions of agents: the panel in the right sidebar, its command and its badge.
 * All that the start needs; the rest is loaded after it.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';

import { Commands, labelled, NO_ARGS } from '../shared/commands';
import { approvalIcon } from '../shared/icons/start';
import { LazySidebar } from '../shared/views/lazySidebar';
import { restoredTab } from '../shared/views/restoredTabs';
import { IRuns } from '../runs';
import { lazily } from '../shared/lazy';
import { IAnnouncer, IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { IApprovals } from './tokens';

/** Its code comes when the page has started. */
const afterStart = () => import(/* webpackChunkName: "after-start" */ './afterStart');

export const approvalsPlugin: JupyterFrontEndPlugin<IApprovals> = {
  id: 'jupyter-cabinet:approvals',
  description: 'Requests and questions of agents, and how they were answered.',
  autoStart: true,
  requires: [IServer, IRuns, IAnnouncer],
  optional: [ITranslator, ILayoutRestorer, IStatusBar],
  provides: IApprovals,
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    runs: IRuns,
    announcer: IAnnouncer,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    statusBar: IStatusBar | null
  ): IApprovals => {
    const trans = bundleOf(translator);
    const approvals: IApprovals = lazily(async () => {
      const [{ makeApprovals }, made] = await Promise.all([afterStart(), server()]);
      return makeApprovals({ app, server: made, runs, trans });
    });
    const label = trans.__('Approvals');
    const sidebar = new LazySidebar('cabinet-approvals', label, approvalIcon, async () => {
      const { createApprovalsPanel } = await import(
        /* webpackChunkName: "approvals" */ './views/widget'
      );
      return createApprovalsPanel(await approvals());
    });
    sidebar.node.dataset.approvalsFocus = '';
    app.shell.add(sidebar, 'right', { rank: 51, type: 'Approvals' });
    restorer?.add(sidebar, sidebar.id);
    app.commands.addCommand(Commands.approvals, {
      label: labelled(label, trans),
      caption: trans.__('Requests and questions from agents'),
      icon: approvalIcon,
      describedBy: NO_ARGS,
      execute: () => app.shell.activateById(sidebar.id)
    });
    restoredTab(app, restorer, trans, {
      namespace: 'cabinet-approval-rules',
      command: Commands.approvalRules,
      label: trans.__('Approval rules'),
      caption: trans.__('What agents can do without asking, or never'),
      icon: approvalIcon,
      type: 'Approval rules',
      fill: async tab => {
        const [{ fillRules }, { RuleStore }, services, { client }] = await Promise.all([
          import(/* webpackChunkName: "rules" */ './views/rulesWidget'),
          import(/* webpackChunkName: "rules" */ './stores/rules'),
          approvals(),
          server()
        ]);
        if (!tab.isDisposed) {
          fillRules(tab, new RuleStore(client), services);
        }
      }
    });
    void app.restored.then(async () => {
      const [{ showIndicators }, services] = await Promise.all([afterStart(), approvals()]);
      showIndicators(services, sidebar, statusBar, announcer);
    });
    return approvals;
  }
};
