/**
 * Our commands in the palette: each as "Cabinet: …", found by *ask*, *agent*, *AI* and the name of each runtime.
 * Loaded after the start.
 */
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';

import { Commands, TERMINAL_COMMAND } from '../shared/commands';
import { visible } from '../shared/untrusted';
import type { RuntimeStore } from './stores/runtimes';

/** What the palette lists, in this order where nothing else decides. */
const PALETTE: readonly string[] = [
  Commands.openEditor,
  Commands.newSession,
  Commands.showHistory,
  Commands.approvals,
  Commands.approvalRules,
  Commands.review,
  Commands.record,
  Commands.newTerminal,
  Commands.recordings,
  Commands.agents,
  Commands.plays,
  Commands.newPlay,
  Commands.newAgent,
  Commands.pauseAll,
  Commands.resumeAll,
  Commands.confirmAgents,
  Commands.runtimes,
  Commands.checkRuntimes,
  Commands.stopRun,
  Commands.showOutput,
  Commands.closeSession,
  Commands.findInTerminal,
  ...'request release give deny pause resume stop agent record play link close'
    .split(' ')
    .map(verb => TERMINAL_COMMAND + verb)
];

/** Lists them anew when other runtimes are found. */
export function listCommands(
  palette: ICommandPalette | null,
  runtimes: RuntimeStore,
  trans: TranslationBundle
): void {
  let category = '';
  let items: IDisposable[] = [];
  const list = () => {
    // The palette searches in labels and in the names of categories, and nowhere else.
    const rows = [...(runtimes.items ?? [])].sort((a, b) => Number(b.found) - Number(a.found));
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
