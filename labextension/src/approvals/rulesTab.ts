/**
 * The command that opens the approval rules in a tab. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';

import type { CabinetClient } from '../api/client';
import { Commands, labelled } from '../shared/commands';
import { approvalIcon } from '../shared/icons/start';
import { lazyTab } from '../shared/views/lazyTab';
import { RuleStore } from './stores/rules';
import type { IApprovalServices } from './views/services';

const ID = 'cabinet-approval-rules';

export function addRulesCommand(
  app: JupyterFrontEnd,
  services: IApprovalServices,
  client: CabinetClient
): void {
  const { trans } = services;
  const label = trans.__('Approval rules');
  let isOpen = false;
  app.commands.addCommand(Commands.approvalRules, {
    label: labelled(label, trans),
    caption: trans.__('What agents may do without asking, and what never'),
    icon: approvalIcon,
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => {
      if (!isOpen) {
        const tab = lazyTab(ID, label, approvalIcon, async made => {
          const { fillRules } = await import(/* webpackChunkName: "rules" */ './views/rulesWidget');
          fillRules(made, new RuleStore(client), services);
        });
        isOpen = true;
        tab.disposed.connect(() => (isOpen = false));
        app.shell.add(tab, 'main', { type: 'Approval rules' });
      }
      app.shell.activateById(ID);
    }
  });
}
