/**
 * Questions of agents: the panel in the right sidebar, its command and its badge.
 * All that the start needs; what they do comes lazily from `approvalParts.ts`.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { Commands, labelled } from '../shared/commands';
import { approvalIcon } from '../shared/icons/start';
import { LazySidebar } from '../shared/views/lazySidebar';
import { IApprovals, ICabinet } from '../shared/tokens';

export const approvalsPlugin: JupyterFrontEndPlugin<IApprovals> = {
  id: 'jupyter-cabinet:approvals',
  description: 'Questions of agents that wait for a person, and what became of them.',
  autoStart: true,
  requires: [ICabinet],
  optional: [ITranslator, ILayoutRestorer, IStatusBar],
  provides: IApprovals,
  activate: (
    app: JupyterFrontEnd,
    cabinet: ICabinet,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    statusBar: IStatusBar | null
  ): IApprovals => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    let made: ReturnType<IApprovals> | null = null;
    const approvals: IApprovals = () =>
      (made ??= import(/* webpackChunkName: "restored" */ './indicators').then(
        ({ makeApprovals }) => makeApprovals(app, cabinet, trans)
      ));
    const label = trans.__('Approvals');
    const sidebar = new LazySidebar('cabinet-approvals', label, approvalIcon, async () => {
      const { createApprovalsPanel } = await import('./views/widget');
      return createApprovalsPanel(await approvals());
    });
    sidebar.node.dataset.approvalsFocus = '';
    app.shell.add(sidebar, 'right', { rank: 51, type: 'Approvals' });
    restorer?.add(sidebar, sidebar.id);
    app.commands.addCommand(Commands.approvals, {
      label: labelled(label, trans),
      caption: trans.__('Questions of agents that wait for an answer'),
      icon: approvalIcon,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => app.shell.activateById(sidebar.id)
    });
    void app.restored.then(async () => {
      const { start } = await import(/* webpackChunkName: "restored" */ './indicators');
      start(await approvals(), sidebar, statusBar);
    });
    return approvals;
  }
};
