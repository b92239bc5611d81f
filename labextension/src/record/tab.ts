/**
 * The command that opens the record in a tab. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { historyIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Announcer } from '../shared/announcer';
import { Commands, labelled } from '../shared/commands';
import { isLab } from '../shared/labPage';
import type { ICabinetServer } from '../shared/tokens';
import { lazyTab } from '../shared/views/lazyTab';
import { RecordStore } from './stores/record';

const ID = 'cabinet-record';

export function addRecordCommand(
  app: JupyterFrontEnd,
  { client, connection, events }: ICabinetServer,
  announcer: Announcer,
  trans: TranslationBundle
): void {
  const { commands, shell } = app;
  const label = trans.__('Record');
  let isOpen = false;
  commands.addCommand(Commands.record, {
    label: labelled(label, trans),
    caption: trans.__('What agents did: who asked, what was allowed, what it changed and cost'),
    icon: historyIcon,
    isVisible: () => isLab(app),
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => {
      if (!isOpen) {
        const tab = lazyTab(ID, label, historyIcon, async made => {
          const { fillRecord } = await import(/* webpackChunkName: "record" */ './views/widget');
          fillRecord(made, {
            connection,
            record: new RecordStore(client, events),
            trans,
            announce: words => announcer.polite(words),
            openDocument: path => void commands.execute('docmanager:open', { path }),
            review: run => void commands.execute(Commands.review, { run: run.id }),
            showRun: ({ agent, id, path, session_id: session }) =>
              void (agent === null || path?.endsWith('.ipynb')
                ? commands.execute(Commands.showRun, { session, path: path ?? '' })
                : commands.execute(Commands.openAgent, { agent, run: id }))
          });
        });
        isOpen = true;
        tab.disposed.connect(() => (isOpen = false));
        shell.add(tab, 'main', { type: 'Record' });
      }
      shell.activateById(ID);
    }
  });
}
