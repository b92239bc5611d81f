/**
 * Skills and tool servers of agents in a tab. Its code is loaded when it is opened.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ILauncher } from '@jupyterlab/launcher';
import { ITranslator } from '@jupyterlab/translation';

import { Commands } from '../shared/commands';
import { skillIcon } from '../shared/icons/start';
import { IAnnouncer, IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { restoredTab } from '../shared/views/restoredTabs';

export const skillsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:skills',
  description: 'Skills of agents.',
  autoStart: true,
  requires: [IServer, IAnnouncer],
  optional: [ITranslator, ILayoutRestorer, ILauncher],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    announcer: IAnnouncer,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    launcher: ILauncher | null
  ) => {
    const trans = bundleOf(translator);
    const command = Commands.skills;
    restoredTab(app, restorer, trans, {
      namespace: 'cabinet-skills',
      command,
      label: trans.__('Skills and Tools'),
      icon: skillIcon,
      type: 'Skills',
      fill: async (tab, _, args) => {
        const { fillSkills } = await import(/* webpackChunkName: "skills" */ './tab');
        await fillSkills(tab, { announcer, app, args, server, trans });
      }
    });
    launcher?.add({ command, category: trans.__('Other'), rank: 6.5 });
  }
};
