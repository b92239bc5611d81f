/**
 * The command that leads to the runtimes, and our commands in the palette: each as "Cabinet: …", found by *ask*, *agent*, *AI* and the name of each runtime.
 * Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';

import {
  AgentCommands,
  NEXT_CHANGE,
  PREVIOUS_CHANGE,
  PRIVATE_TERMINAL,
  WORK_THROUGH
} from '../shared/lateCommands';
import { Commands, labelled, NO_ARGS, TERMINAL_COMMAND } from '../shared/commands';
import { FIND_IN_TERMINAL, CHECK_RUNTIMES } from '../shared/lateCommands';
import { openLab } from '../shared/labPage';
import { visible } from '../shared/untrusted';
import type { RuntimeStore } from './stores/runtimes';

const SETTINGS = 'settingeditor:open';
/** In an address of JupyterLab: that the runtimes shall be shown. */
const LINK_PARAMETER = 'cabinet-runtimes';

/** What the palette lists, in this order where nothing else decides. */
const PALETTE: readonly string[] = [
  Commands.openEditor,
  Commands.newSession,
  Commands.showHistory,
  Commands.approvals,
  Commands.approvalRules,
  Commands.review,
  NEXT_CHANGE,
  PREVIOUS_CHANGE,
  Commands.activity,
  Commands.newRun,
  Commands.pastSessions,
  Commands.plans,
  WORK_THROUGH,
  Commands.channels,
  Commands.skills,
  Commands.newTerminal,
  PRIVATE_TERMINAL,
  Commands.recordings,
  Commands.agents,
  Commands.plays,
  Commands.newPlay,
  Commands.newAgent,
  Commands.pauseAll,
  Commands.resumeAll,
  Commands.confirmAgents,
  AgentCommands.rename,
  AgentCommands.duplicate,
  AgentCommands.export,
  AgentCommands.archive,
  AgentCommands.delete,
  AgentCommands.restore,
  AgentCommands.import,
  Commands.runtimes,
  CHECK_RUNTIMES,
  Commands.stopRun,
  Commands.showOutput,
  Commands.closeSession,
  FIND_IN_TERMINAL,
  ...'request release give deny pause resume stop agent record play link share private close'
    .split(' ')
    .map(verb => TERMINAL_COMMAND + verb)
];

/** Shows the runtimes in JupyterLab's settings; at once where the address asks for that. */
export function addRuntimesCommand(app: JupyterFrontEnd, trans: TranslationBundle): void {
  const { commands } = app;
  commands.addCommand(Commands.runtimes, {
    label: labelled(trans.__('Agent runtimes'), trans),
    caption: trans.__('The agent CLIs that were found, and a test prompt'),
    describedBy: NO_ARGS,
    execute: () =>
      commands.hasCommand(SETTINGS)
        ? commands.execute(SETTINGS, { query: 'Jupyter Cabinet' })
        : openLab(app, LINK_PARAMETER, '')
  });
  if (new URLSearchParams(location.search).has(LINK_PARAMETER)) {
    void commands.execute(Commands.runtimes);
  }
}

/** Lists them again when other runtimes are found. */
export function listCommands(
  palette: ICommandPalette | null,
  runtimes: RuntimeStore,
  trans: TranslationBundle
): void {
  let category = '';
  let items: IDisposable[] = [];
  const list = () => {
    // The palette searches in labels and in the names of categories, and nowhere else.
    const rows = [...runtimes.products].sort((a, b) => Number(b.found) - Number(a.found));
    const names = rows.map(row => visible(row.title));
    const now = [trans.__('Cabinet, ask an AI agent'), ...names].join(', ');
    if (now !== category) {
      category = now;
      items.forEach(item => item.dispose());
      items = PALETTE.flatMap(
        (command, rank) =>
          palette?.addItem({ command, category, rank, args: { isPalette: true } }) ?? []
      );
    }
  };
  runtimes.changed.connect(list);
  list();
}
