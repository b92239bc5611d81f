/**
 * What runs do, in the status bar, and the application's assertive live region. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IStatusBar } from '@jupyterlab/statusbar';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import type { Run } from '../api/types';
import { Commands } from '../shared/commands';
import { SHOW_SANDBOX } from '../shared/lateCommands';
import { agentIcon } from '../shared/icons/start';
import type { ApprovalStore } from '../approvals';
import { runAnnouncement } from './stores/announcements';
import { FailedRunStore } from './stores/failedRuns';
import { statusWords } from './stores/labels';
import type { EditorStore } from '../editor';
import type { Announcer } from '../shared/announcer';
import { MOST_ENDED, type RunStore } from './stores/runs';
import type { WorkSwitchStore } from './stores/workSwitch';
import { RecentMap } from '../shared/recentMap';
import { statusItem } from '../shared/views/statusItem';

export { keepNotificationsClear } from '../shared/views/notificationInset';

/** So long a question may take to come after the news that a run waits: it says more. */
const QUESTION_MS = 1_000;

/**
 * The item is shown while a run works, while all work is paused, and when runs of agents have failed. It leads to what
 * it announces: a run of the AI editor, else the agents. Also adds the command that shows what an isolated run could see.
 */
export function showStatus(
  app: JupyterFrontEnd,
  runs: RunStore,
  workSwitch: WorkSwitchStore,
  statusBar: IStatusBar | null,
  trans: TranslationBundle
): void {
  app.commands.addCommand(SHOW_SANDBOX, {
    label: trans.__('What the run could see'),
    describedBy: { args: { type: 'object', properties: { run: { type: 'string' } } } },
    execute: async args => {
      const { showSandbox } = await import(/* webpackChunkName: "run-output" */ './views');
      await showSandbox(runs, String(args.run), trans);
    }
  });
  const failed = new FailedRunStore(runs);
  const words = () => statusWords(runs.working.length, workSwitch.paused, failed.count, trans);
  const { item, icon, label } = statusItem(() => {
    const run = runs.working.find(found => found.kind === 'editor');
    const isOfAgents = workSwitch.paused || failed.count > 0 || !run;
    failed.seen();
    if (isOfAgents && app.commands.isVisible(Commands.agents)) {
      void app.commands.execute(Commands.agents);
    } else {
      const args = run ? { session: run.session_id, path: run.path ?? '' } : undefined;
      void app.commands.execute(run ? Commands.showRun : Commands.openEditor, args);
    }
  });
  icon.append(agentIcon.element({ tag: 'span' }));
  item.disposed.connect(() => failed.dispose());
  const changed = new Signal<object, void>({});
  const update = () => {
    label.textContent = words();
    changed.emit();
  };
  [runs, workSwitch, failed].forEach(store => store.changed.connect(update));
  update();
  statusBar?.registerStatusItem('jupyter-cabinet:status', {
    item,
    align: 'right',
    rank: 20,
    isActive: () => words() !== '',
    activeStateChanged: changed
  });
}

/** What is listened to, and where it is said. */
export interface ISpoken {
  runs: RunStore;
  editor: EditorStore;
  questions: ApprovalStore;
  announcer: Announcer;
  trans: TranslationBundle;
}

/** Makes the page's assertive region, and announces there the outcomes of the runs of the shown session. */
export function speak({ runs, editor, questions, announcer, trans }: ISpoken): void {
  const region = document.createElement('div');
  region.className = 'jp-Cabinet-spoken';
  region.setAttribute('role', 'alert');
  document.body.append(region);
  announcer.said.connect((_, { text, urgent }) => {
    if (urgent) {
      region.textContent = text;
    }
  });
  const known = new RecentMap<string, Run>(MOST_ENDED);
  runs.updated.connect((_, run) => {
    const before = known.get(run.id);
    known.set(run.id, run);
    if (editor.detail?.session.id !== run.session_id) {
      return;
    }
    const announcement = runAnnouncement(before, run, trans, runs.waitingWith(run));
    if (run.state !== 'waiting') {
      announcer.say(announcement);
    } else {
      setTimeout(() => {
        const isOpen = runs.get(run.id)?.state === 'waiting';
        if (isOpen && !questions.waitingOf(run.id).length) {
          announcer.say(announcement);
        }
      }, QUESTION_MS);
    }
  });
}
