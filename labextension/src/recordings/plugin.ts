/**
 * Recordings of terminals: their list, and a player for each, in tabs that come back after a reload.
 * All that the start needs; what they show is loaded lazily.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator } from '@jupyterlab/translation';
import { runIcon } from '@jupyterlab/ui-components';

import { Commands, labelled, NO_ARGS } from '../shared/commands';
import { terminalIcon } from '../shared/icons/start';
import { isLab } from '../shared/labPage';
import { lazily } from '../shared/lazy';
import { IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { restoredTabs } from '../shared/views/restoredTabs';
import { ITerminals } from '../terminal';

const TYPE = 'Recording';

/** The code of the tabs comes when one is opened. */
const views = () => import(/* webpackChunkName: "recordings" */ './views/widget');

export const recordingsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:recordings',
  description: 'Recordings of terminals: their list, and a player.',
  autoStart: true,
  requires: [IServer, ITerminals],
  optional: [ITranslator, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    terminals: ITerminals,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null
  ) => {
    const trans = bundleOf(translator);
    const services = lazily(async () => {
      const [{ makeRecordings }, made, shown] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './services'),
        server(),
        terminals()
      ]);
      return makeRecordings(made, shown);
    });
    const openList = restoredTabs(app, restorer, {
      namespace: 'cabinet-recordings',
      command: Commands.recordings,
      icon: terminalIcon,
      type: TYPE,
      fill: async tab => {
        const [{ fillList }, made] = await Promise.all([views(), services()]);
        if (!tab.isDisposed) {
          fillList(tab, made);
        }
      }
    });
    const openPlayer = restoredTabs(app, restorer, {
      namespace: 'cabinet-recording',
      command: Commands.playRecording,
      argument: 'id',
      icon: runIcon,
      type: TYPE,
      fill: async (tab, id) => {
        const [{ fillPlayer }, made] = await Promise.all([views(), services()]);
        if (!tab.isDisposed) {
          fillPlayer(tab, id, made);
        }
      }
    });
    app.commands.addCommand(Commands.recordings, {
      label: labelled(trans.__('Recordings of terminals'), trans),
      isVisible: () => isLab(app),
      describedBy: NO_ARGS,
      execute: () => openList('', trans.__('Recordings'))
    });
    app.commands.addCommand(Commands.playRecording, {
      label: trans.__('Play a recording'),
      describedBy: {
        args: {
          type: 'object',
          required: ['id'],
          properties: {
            id: {
              type: 'string',
              description: trans.__('The recording’s id, which is its terminal’s')
            }
          }
        }
      },
      execute: args => openPlayer(String(args.id), trans.__('Recording'))
    });
  }
};
