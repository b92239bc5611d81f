/**
 * The sessions that agent CLIs keep on disk, in a tab. Its code is loaded when it is opened.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ILauncher } from '@jupyterlab/launcher';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator } from '@jupyterlab/translation';
import { historyIcon } from '@jupyterlab/ui-components';

import { IApprovals } from '../approvals';
import { IChoices, IRuntimes } from '../runtimes';
import { Commands } from '../shared/commands';
import { IAnnouncer, IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { restoredTab } from '../shared/views/restoredTabs';

const FOLDER_ARGS = {
  args: { type: 'object', properties: { folder: { type: 'string' } } }
} as const;

export const pastSessionsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:past-sessions',
  description: 'The sessions of the agent CLIs.',
  autoStart: true,
  requires: [IServer, IAnnouncer, IRuntimes, IChoices, IApprovals],
  optional: [
    ITranslator,
    IRenderMimeRegistry,
    ILayoutRestorer,
    ILauncher,
    IStateDB,
    ISettingRegistry
  ],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    announcer: IAnnouncer,
    runtimes: IRuntimes,
    choices: IChoices,
    approvals: IApprovals,
    translator: ITranslator | null,
    rendermime: IRenderMimeRegistry | null,
    restorer: ILayoutRestorer | null,
    launcher: ILauncher | null,
    stateDB: IStateDB | null,
    settings: ISettingRegistry | null
  ) => {
    const trans = bundleOf(translator);
    const command = Commands.pastSessions;
    restoredTab(app, restorer, trans, {
      namespace: 'cabinet-past-sessions',
      command,
      label: trans.__('Past sessions'),
      caption: trans.__('Find, read and continue past sessions'),
      icon: historyIcon,
      type: 'Past Sessions',
      describedBy: FOLDER_ARGS,
      fill: async (tab, _, args) => {
        const { fillPastSessions } = await import(/* webpackChunkName: "past-sessions" */ './tab');
        const parts = {
          announcer,
          approvals,
          choices,
          rendermime,
          runtimes,
          server,
          settings,
          stateDB
        };
        await fillPastSessions(tab, args, { app, trans, ...parts });
      }
    });
    launcher?.add({ command, category: trans.__('Other'), rank: 5 });
  }
};
