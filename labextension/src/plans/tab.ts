/**
 * What the tab of plans is made of. Loaded when it is opened.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { IStateDB } from '@jupyterlab/statedb';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import type { IAgents } from '../agents';
import type { IApprovals } from '../approvals';
import type { IRuns } from '../runs';
import type { IChoices, IRuntimes } from '../runtimes';
import type { IAnnouncer, IServer } from '../shared/tokens';
import { visible } from '../shared/untrusted';
import type { LazyTab } from '../shared/views/lazyTab';
import { keptPlan } from './stores/keptPlan';
import { PlansStore } from './stores/planList';
import { drawPlans } from './views/widget';

export async function fillPlanTab(
  tab: LazyTab,
  args: ReadonlyPartialJSONObject,
  options: {
    app: JupyterFrontEnd;
    server: IServer;
    agents: IAgents;
    announcer: IAnnouncer;
    approvals: IApprovals;
    choices: IChoices;
    rendermime: IRenderMimeRegistry | null;
    runs: IRuns;
    runtimes: IRuntimes;
    /** Whether the page was reloaded. */
    isRestored: boolean;
    stateDB: IStateDB | null;
    trans: TranslationBundle;
  }
): Promise<void> {
  const { announcer, rendermime, trans } = options;
  const { commands, serviceManager } = options.app;
  const [server, agents, approvals, choices, runs, runtimes] = await Promise.all([
    options.server(),
    options.agents(),
    options.approvals(),
    options.choices(),
    options.runs(),
    options.runtimes()
  ]);
  const [outputs, workSwitch] = await Promise.all([runs.outputs(), runs.workSwitch()]);
  if (tab.isDisposed) {
    return;
  }
  const plans = new PlansStore(server.client, server.events);
  tab.content.follow = ({ checklist, plan, step }) => {
    if (plan) {
      void plans.showPlan(String(plan), step ? String(step) : null);
    } else if (checklist) {
      void plans.workThrough(String(checklist));
    }
  };
  tab.content.follow(args);
  const kept = keptPlan(plans, options.stateDB, options.isRestored);
  tab.disposed.connect(() => kept.dispose());
  kept.follow(server.connection);
  drawPlans(tab, {
    connection: server.connection,
    plans,
    agents,
    approvals,
    choices,
    outputs,
    rendermime,
    runs,
    runtimes,
    trans,
    workSwitch,
    announce: words => announcer.polite(words),
    run: (command, given) => void commands.execute(command, given),
    openBeside: async path => {
      const file = serviceManager.contents.get(path, { content: false });
      if (!(await file.catch(() => null))) {
        throw new Error(trans.__('There is no file %1.', visible(path)));
      }
      await commands.execute('docmanager:open', {
        path,
        options: { mode: 'split-right', ref: tab.id }
      });
    },
    showRun: async id => {
      const { openRun } = await import(/* webpackChunkName: "run-output" */ '../runs/views');
      await openRun(id, { commands, runs, trans });
    }
  });
}
