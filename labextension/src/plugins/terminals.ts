/**
 * Shared terminals: the commands, the launcher's tile, tabs that come back after a reload.
 * All that the start needs; what they do comes lazily from `terminalParts.ts`.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, type MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { IRunningSessionManagers } from '@jupyterlab/running';
import { ITranslator, nullTranslator, type TranslationBundle } from '@jupyterlab/translation';

import { Commands, TERMINAL_COMMAND } from '../commands';
import { terminalIcon } from '../icons/start';
import { lazyTab } from '../panels/lazy';
import { live, type TerminalVerb } from '../panels/terminal/live';
import { ICabinet, ITerminals } from '../tokens';

export const terminalsPlugin: JupyterFrontEndPlugin<ITerminals> = {
  id: 'jupyter-cabinet:terminals',
  description: 'Shared terminals: many watch, one types, an agent cannot be typed over.',
  autoStart: true,
  requires: [ICabinet],
  optional: [ITranslator, ICommandPalette, ILauncher, ILayoutRestorer, IRunningSessionManagers],
  provides: ITerminals,
  activate: (
    app: JupyterFrontEnd,
    cabinet: ICabinet,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    launcher: ILauncher | null,
    restorer: ILayoutRestorer | null,
    running: IRunningSessionManagers | null
  ): ITerminals => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    const tracker = new WidgetTracker<MainAreaWidget>({ namespace: 'cabinet-terminals' });
    let made: ReturnType<ITerminals> | null = null;
    const terminals: ITerminals = () =>
      (made ??= import('./terminalParts').then(({ makeTerminals }) =>
        makeTerminals(app, cabinet, trans)
      ));
    const wanted = new URLSearchParams(location.search).get('cabinet-terminal');
    addOpening(app, terminals, tracker, trans);
    addVerbs(app, trans);
    const category = trans.__('Cabinet');
    [
      Commands.newTerminal,
      Commands.recordings,
      ...verbs(trans).map(([verb]) => named(verb))
    ].forEach(command => palette?.addItem({ command, category }));
    launcher?.add({ command: Commands.newTerminal, category: trans.__('Other'), rank: 2 });
    if (restorer) {
      void restorer.restore(tracker, {
        command: Commands.openTerminal,
        args: tab => ({ id: idOf(tab), restored: true }),
        name: tab => tab.id,
        when: app.serviceManager.ready
      });
    }
    void app.restored.then(async () => {
      const { start } = await import('./terminalParts');
      start(app, await terminals(), running, wanted);
    });
    return terminals;
  }
};

const PREFIX = 'cabinet-terminal-';
const idOf = (tab: { id: string }) => tab.id.slice(PREFIX.length);
const named = (verb: TerminalVerb) => `${TERMINAL_COMMAND}${verb}`;

const ID_ARGS = (about: string) => ({
  args: { type: 'object', properties: { id: { type: 'string', description: about } } }
});

function addOpening(
  { commands, shell }: JupyterFrontEnd,
  terminals: ITerminals,
  tracker: WidgetTracker<MainAreaWidget>,
  trans: TranslationBundle
): void {
  const show = (id: string) => {
    const known = tracker.find(tab => tab.id === PREFIX + id);
    if (known) {
      shell.activateById(known.id);
      return known;
    }
    const tab = lazyTab(PREFIX + id, trans.__('Shared terminal'), terminalIcon, async made => {
      const parts = await terminals();
      const { fillTerminal } = await import('../panels/terminal/widget');
      fillTerminal(made, id, parts);
    });
    shell.add(tab, 'main', { type: 'Shared Terminal' });
    void tracker.add(tab);
    shell.activateById(tab.id);
    return tab;
  };
  commands.addCommand(Commands.newTerminal, {
    label: args => (args.isPalette ? trans.__('New shared terminal') : trans.__('Shared Terminal')),
    caption: trans.__('Open a terminal that others can watch, one at a time types in'),
    icon: terminalIcon,
    describedBy: {
      args: {
        type: 'object',
        properties: { cwd: { type: 'string', description: trans.__('The folder to begin in') } }
      }
    },
    execute: async args => {
      const { openTerminal } = await import('./terminalParts');
      const terminal = await openTerminal(await terminals(), args.cwd as string | undefined);
      return terminal && show(terminal.id);
    }
  });
  commands.addCommand(Commands.openTerminal, {
    label: trans.__('Open a shared terminal'),
    icon: terminalIcon,
    describedBy: ID_ARGS(trans.__('The terminal’s id')),
    execute: args => show(String(args.id))
  });
  commands.addCommand(Commands.terminalText, {
    label: trans.__('The text of the terminal'),
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => live.current?.screenText() ?? null
  });
  const player = async (id: string | null) => {
    const parts = await terminals();
    const { showRecordings } = await import('./recordings');
    showRecordings(shell, parts, id);
  };
  commands.addCommand(Commands.recordings, {
    label: trans.__('Recordings of terminals'),
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => player(null)
  });
  commands.addCommand(Commands.playRecording, {
    label: trans.__('Play a recording'),
    describedBy: ID_ARGS(trans.__('The recording’s id, which is its terminal’s')),
    execute: args => player(String(args.id))
  });
}

/** The commands about the terminal that was used last; the keys of some stand in the settings. */
function verbs(trans: TranslationBundle): [TerminalVerb, string][] {
  return [
    ['request', trans.__('Take or request control of the terminal')],
    ['release', trans.__('Release control of the terminal')],
    ['give', trans.__('Give control of the terminal')],
    ['deny', trans.__('Do not give control of the terminal now')],
    ['pause', trans.__('Pause the agent in the terminal')],
    ['resume', trans.__('Resume the agent in the terminal')],
    ['stop', trans.__('Stop the agent in the terminal')],
    ['agent', trans.__('Start an agent in the terminal')],
    ['record', trans.__('Record the terminal')],
    ['play', trans.__('Play the terminal’s recording')],
    ['link', trans.__('Copy the link to the terminal')],
    ['close', trans.__('Close the terminal')]
  ];
}

function addVerbs({ commands }: JupyterFrontEnd, trans: TranslationBundle): void {
  const add = (command: string, verb: TerminalVerb, label: string) =>
    commands.addCommand(command, {
      label,
      describedBy: { args: { type: 'object', properties: {} } },
      isEnabled: () => live.current?.can(verb) ?? false,
      execute: () => live.current?.act(verb)
    });
  const all = verbs(trans).map(([verb, label]) => [named(verb), verb, label] as const);
  all.forEach(([command, verb, label]) => add(command, verb, label));
  add(Commands.findInTerminal, 'find', trans.__('Find in the terminal'));
  live.changed.connect(() => {
    all.forEach(([command]) => commands.notifyCommandChanged(command));
    commands.notifyCommandChanged(Commands.findInTerminal);
  });
}
