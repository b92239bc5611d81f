/**
 * What the activity tab shows, and the command that asks for a new run there. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { addIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IAgents } from '../agents';
import type { IApprovals } from '../approvals';
import type { IRuns } from '../runs';
import type { IChoices, IRuntimes } from '../runtimes';
import type { Announcer } from '../shared/announcer';
import { Commands, labelled, NO_ARGS } from '../shared/commands';
import { isLab } from '../shared/labPage';
import { SHOW_SANDBOX } from '../shared/lateCommands';
import { lazily } from '../shared/lazy';
import { serverPath } from '../shared/paths';
import type { ICabinetServer } from '../shared/tokens';
import type { LazyTab } from '../shared/views/lazyTab';
import { NewRunStore } from './stores/newRun';
import { ActivityStore } from './stores/activityList';

export interface IActivityOptions {
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

export interface IActivityTab {
  fill: (tab: LazyTab) => Promise<void>;
  /** Adds the command that opens the form of a new run; it opens the tab, or leaves it as it is where it is in front. */
  addNewRun: (isInFront: () => boolean) => void;
}

export function activityTab(options: IActivityOptions): IActivityTab {
  const { app, browser, trans } = options;
  const { commands, serviceManager } = app;
  const form = lazily(async () => {
    const { agents, choices, runtimes, server } = options;
    const stores = await Promise.all([runtimes(), choices(), agents()]);
    return new NewRunStore(server.client, ...stores);
  });
  return {
    fill: async tab => fill(tab, options, await form()),
    addNewRun: isInFront => {
      commands.addCommand(Commands.newRun, {
        label: labelled(trans.__('New run…'), trans),
        caption: trans.__('Instruct an agent or a runtime'),
        icon: addIcon,
        isVisible: () => isLab(app),
        describedBy: NO_ARGS,
        execute: async () => {
          if (!isInFront()) {
            await commands.execute(Commands.activity);
          }
          const folder = serverPath(serviceManager.contents, browser?.model.path ?? '');
          (await form()).show(folder ?? '');
        }
      });
    }
  };
}

async function fill(tab: LazyTab, options: IActivityOptions, newRun: NewRunStore): Promise<void> {
  const { announcer, app, rendermime, server, trans } = options;
  const { commands } = app;
  const { client, connection, events } = server;
  const [{ fillActivity }, approvals, runs] = await Promise.all([
    import(/* webpackChunkName: "activity" */ './views/widget'),
    options.approvals(),
    options.runs()
  ]);
  const outputs = await runs.outputs();
  if (tab.isDisposed) {
    return;
  }
  fillActivity(tab, {
    connection,
    activity: new ActivityStore(client, events, name => newRun.agents.slugOf(name)),
    newRun,
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
    showSandbox: ({ id }) => void commands.execute(SHOW_SANDBOX, { run: id }),
    showRun: async ({ id }) => {
      const { openRun } = await import(/* webpackChunkName: "run-output" */ '../runs/views');
      await openRun(id, { commands, runs, trans });
    }
  });
}
