/**
 * The tabs of recordings: the list of all, and one player for each. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { runIcon } from '@jupyterlab/ui-components';

import { terminalIcon } from '../shared/icons/start';
import { lazyTab, type LazyTab } from '../shared/views/lazyTab';
import type { IRecordingServices } from './views/services';

const open = new Map<string, LazyTab>();

/** One recording, or the list of all with `null`. */
export function showRecordings(
  shell: JupyterFrontEnd.IShell,
  services: IRecordingServices,
  recordingId: string | null
): void {
  const { trans } = services.terminals;
  const id = recordingId === null ? 'cabinet-recordings' : `cabinet-recording-${recordingId}`;
  let tab = open.get(id);
  if (!tab) {
    const label = recordingId === null ? trans.__('Recordings') : trans.__('Recording');
    const icon = recordingId === null ? terminalIcon : runIcon;
    tab = lazyTab(id, label, icon, async made => {
      const { fillList, fillPlayer } = await import(
        /* webpackChunkName: "recordings" */ './views/widget'
      );
      if (recordingId === null) {
        fillList(made, services);
      } else {
        fillPlayer(made, recordingId, services);
      }
    });
    tab.disposed.connect(() => open.delete(id));
    open.set(id, tab);
    shell.add(tab, 'main', { type: 'Recording' });
  }
  shell.activateById(id);
}
