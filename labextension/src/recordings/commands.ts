/**
 * The commands that open recordings. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';

import { Commands, labelled } from '../shared/commands';
import { isLab } from '../shared/labPage';
import type { ICabinetServer } from '../shared/tokens';
import type { ITerminalServices } from '../terminal';
import { RecordingStore } from './stores/recording';
import { RecordingListStore } from './stores/recordings';
import { showRecordings } from './tabs';
import type { IRecordingServices } from './views/services';

const NO_ARGS = { args: { type: 'object', properties: {} } } as const;

export function addRecordingCommands(
  app: JupyterFrontEnd,
  { client, connection, events }: ICabinetServer,
  terminals: ITerminalServices
): void {
  const { commands, shell } = app;
  const { trans } = terminals;
  const services: IRecordingServices = {
    connection,
    terminals,
    openList: () => new RecordingListStore(client, events),
    openRecording: id => new RecordingStore(client, events, id)
  };
  commands.addCommand(Commands.recordings, {
    label: labelled(trans.__('Recordings of terminals'), trans),
    isVisible: () => isLab(app),
    describedBy: NO_ARGS,
    execute: () => showRecordings(shell, services, null)
  });
  commands.addCommand(Commands.playRecording, {
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
    execute: args => showRecordings(shell, services, String(args.id))
  });
}
