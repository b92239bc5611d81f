/**
 * The commands about terminals and recordings, but for those that open a terminal. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';

import { Commands, labelled, TERMINAL_COMMAND } from '../shared/commands';
import { live, type TerminalVerb } from './views/pageTerminals';
import type { ITerminalServices } from './views/services';
import { isLab } from '../shared/labPage';
import { showRecordings } from '../recordings/tabs';

const NO_ARGS = { args: { type: 'object', properties: {} } } as const;
const named = (verb: TerminalVerb) => `${TERMINAL_COMMAND}${verb}`;

export function addTerminalCommands(app: JupyterFrontEnd, services: ITerminalServices): void {
  addRecordings(app, services);
  addVerbs(app, services.trans);
}

function addRecordings(app: JupyterFrontEnd, services: ITerminalServices): void {
  const { commands, shell } = app;
  const { trans } = services;
  commands.addCommand(Commands.terminalText, {
    label: trans.__('The text of the terminal'),
    describedBy: {
      args: {
        type: 'object',
        properties: {
          visible: {
            type: 'boolean',
            description: trans.__('Only the rows that can be seen, each as it stands there')
          }
        }
      }
    },
    execute: ({ visible }) =>
      (visible ? live.current?.visibleRows() : live.current?.screenText()) ?? null
  });
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
      label: labelled(label, trans),
      describedBy: NO_ARGS,
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
