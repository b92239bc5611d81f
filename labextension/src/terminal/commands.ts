/**
 * The commands about terminals and recordings, but for those that open a terminal. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';

import { labelled, TERMINAL_COMMAND } from '../shared/commands';
import { FIND_IN_TERMINAL, TERMINAL_TEXT } from '../shared/lateCommands';
import { pageTerminals, type TerminalVerb } from './views/pageTerminals';

const NO_ARGS = { args: { type: 'object', properties: {} } } as const;
const named = (verb: TerminalVerb) => `${TERMINAL_COMMAND}${verb}`;

/** They are about the terminal that was used last; without one they are disabled. */
export function addTerminalCommands(app: JupyterFrontEnd, trans: TranslationBundle): void {
  addText(app, trans);
  addVerbs(app, trans);
}

/** The commands about the terminal that was used last; the settings define keys for some. */
function verbs(trans: TranslationBundle): [TerminalVerb, string][] {
  return [
    ['request', trans.__('Take or request control of the terminal')],
    ['release', trans.__('Release control of the terminal')],
    ['give', trans.__('Give control of the terminal')],
    ['deny', trans.__('Decline the request for control of the terminal')],
    ['pause', trans.__('Pause the agent in the terminal')],
    ['resume', trans.__('Resume the agent in the terminal')],
    ['stop', trans.__('Stop the agent in the terminal')],
    ['agent', trans.__('Start an agent in the terminal')],
    ['record', trans.__('Record the terminal')],
    ['play', trans.__('Play the terminal’s recording')],
    ['link', trans.__('Copy the link to the terminal')],
    ['share', trans.__('Share the terminal')],
    ['private', trans.__('Make the terminal private')],
    ['close', trans.__('Close the terminal')]
  ];
}

function addVerbs({ commands }: JupyterFrontEnd, trans: TranslationBundle): void {
  const add = (command: string, verb: TerminalVerb, label: string) =>
    commands.addCommand(command, {
      label: labelled(label, trans),
      describedBy: NO_ARGS,
      isEnabled: () => pageTerminals.current?.can(verb) ?? false,
      execute: () => pageTerminals.current?.act(verb)
    });
  const all = verbs(trans).map(([verb, label]) => [named(verb), verb, label] as const);
  all.forEach(([command, verb, label]) => add(command, verb, label));
  add(FIND_IN_TERMINAL, 'find', trans.__('Find in the terminal'));
  pageTerminals.changed.connect(() => {
    all.forEach(([command]) => commands.notifyCommandChanged(command));
    commands.notifyCommandChanged(FIND_IN_TERMINAL);
  });
}

/** For programs that drive the page, as tests do. */
function addText({ commands }: JupyterFrontEnd, trans: TranslationBundle): void {
  commands.addCommand(TERMINAL_TEXT, {
    label: trans.__('The text of the terminal'),
    describedBy: {
      args: {
        type: 'object',
        properties: {
          visible: {
            type: 'boolean',
            description: trans.__('Return only the visible rows, exactly as shown')
          }
        }
      }
    },
    execute: ({ visible }) =>
      (visible ? pageTerminals.current?.visibleRows() : pageTerminals.current?.screenText()) ?? null
  });
}
