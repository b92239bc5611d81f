/**
 * The commands that open the record in a tab, and ask for a new run there. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { addIcon, historyIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IAgents } from '../agents';
import type { IApprovals } from '../approvals';
import type { IRuns } from '../runs';
import type { IChoices, IRuntimes } from '../runtimes';
import type { Announcer } from '../shared/announcer';
import { Commands, labelled, NO_ARGS } from '../shared/commands';
import { isLab } from '../shared/labPage';
import { type Lazy, lazily } from '../shared/lazy';
import { serverPath } from '../shared/paths';
import type { ICabinetServer } from '../shared/tokens';
import { type LazyTab, lazyTab } from '../shared/views/lazyTab';
import { NewRunStore } from './stores/newRun';
import { RecordStore } from './stores/record';

const ID = 'cabinet-record';

interface ICommandOptions {
  app: JupyterFrontEnd;
  server: ICabinetServer;
  announcer: Announcer;
  agents: IAgents;
  runtimes: IRuntimes;
  choices: IChoices;
  approvals: IApprovals;
  runs: IRuns;
  browser: IDefaultFileBrowser | null;
  rendermime: IRenderMimeRegistry | null;
  trans: TranslationBundle;
}

export function addRecordCommands(options: ICommandOptions): void {
  const { app, browser, trans } = options;
  const { commands, serviceManager, shell } = app;
  const label = trans.__('Record');
  const newRun = lazily(async () => {
    const { agents, choices, runtimes, server } = options;
    const stores = await Promise.all([runtimes(), choices(), agents()]);
    return new NewRunStore(server.client, ...stores);
  });
  let isOpen = false;
  commands.addCommand(Commands.record, {
    label: labelled(label, trans),
    caption: trans.__('What agents did: who asked, what was allowed, what it changed and cost'),
    icon: historyIcon,
    isVisible: () => isLab(app),
    describedBy: NO_ARGS,
    execute: () => {
      if (!isOpen) {
        const tab = lazyTab(ID, label, historyIcon, made => fill(made, options, newRun));
        isOpen = true;
        tab.disposed.connect(() => (isOpen = false));
        shell.add(tab, 'main', { type: 'Record' });
      }
      shell.activateById(ID);
    }
  });
  commands.addCommand(Commands.newRun, {
    label: labelled(trans.__('New run…'), trans),
    caption: trans.__('Ask an agent, or a runtime, for something'),
    icon: addIcon,
    isVisible: () => isLab(app),
    describedBy: NO_ARGS,
    execute: async () => {
      if (shell.currentWidget?.id !== ID) {
        await commands.execute(Commands.record);
      }
      const folder = serverPath(serviceManager.contents, browser?.model.path ?? '');
      (await newRun()).show(folder ?? '');
    }
  });
}

async function fill(
  tab: LazyTab,
  options: ICommandOptions,
  newRun: Lazy<NewRunStore>
): Promise<void> {
  const { announcer, app, rendermime, server, trans } = options;
  const { commands } = app;
  const { client, connection, events } = server;
  const [{ fillRecord }, store, approvals, runs] = await Promise.all([
    import(/* webpackChunkName: "record" */ './views/widget'),
    newRun(),
    options.approvals(),
    options.runs()
  ]);
  const outputs = await runs.outputs();
  fillRecord(tab, {
    connection,
    record: new RecordStore(client, events),
    newRun: store,
    approvals,
    outputs,
    rendermime,
    trans,
    announce: words => announcer.polite(words),
    askForRun: () => void commands.execute(Commands.newRun),
    openDocument: path => void commands.execute('docmanager:open', { path }),
    openTerminal: id => void commands.execute(Commands.openTerminal, { id }),
    showOutput: approvals.showOutput,
    review: run => void commands.execute(Commands.review, { run: run.id }),
    showRun: ({ agent, id, path, session_id: session }) =>
      void (agent === null || path?.endsWith('.ipynb')
        ? commands.execute(Commands.showRun, { session, path: path ?? '' })
        : commands.execute(Commands.openAgent, { agent, run: id }))
  });
}
