/**
 * The commands of the AI editor, but for those that open it. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { MainAreaWidget } from '@jupyterlab/apputils';
import type { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  addIcon,
  CommandToolbarButton,
  editIcon,
  historyIcon,
  stopIcon,
  Toolbar
} from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import type { Widget } from '@lumino/widgets';

import { Commands, labelled } from '../shared/commands';
import { CHECK_RUNTIMES } from '../shared/lateCommands';
import type { IEditorActions } from './views/services';
import type { RuntimeStore } from '../runtimes';
import type { ConnectionStore } from '../shared/connection';
import { yieldToOthers } from '../shared/views/uncoverTab';
import type { EditorStore } from './stores/editor';
import type { ComposerFocus } from './stores/composerFocus';

export interface ICommandOptions {
  app: JupyterFrontEnd;
  editor: EditorStore;
  connection: ConnectionStore;
  runtimes: RuntimeStore;
  actions: IEditorActions;
  sidebar: Widget;
  focus: ComposerFocus;
  fileBrowser: IDefaultFileBrowser | null;
  trans: TranslationBundle;
}

/** The name of JupyterLab's factory for rendered pages. */
const PREVIEW = 'Markdown Preview';
const NO_ARGS = { args: { type: 'object', properties: {} } } as const;

export function addEditorCommands(options: ICommandOptions): void {
  addOpening(options);
  addSessions(options);
  addToPreviews(options);
  yieldToOthers(options.app, options.sidebar);
  const { connection, editor } = options;
  // Labels and states of the commands follow what is shown.
  const refresh = () =>
    [Commands.stopRun, Commands.closeSession, Commands.showOutput].forEach(command =>
      options.app.commands.notifyCommandChanged(command)
    );
  editor.changed.connect(refresh);
  connection.changed.connect(refresh);
}

/** A rendered page has a toolbar, but JupyterLab fills it from no settings (4.6.6): we put our button there. */
function addToPreviews({ app, trans }: ICommandOptions): void {
  const add = (widget: Widget) => {
    const { content, toolbar } = widget as MainAreaWidget;
    if (content?.hasClass('jp-MarkdownViewer')) {
      toolbar.addItem('cabinet-spacer', Toolbar.createSpacerItem());
      const label = trans.__('Ask an agent');
      const button = { commands: app.commands, id: Commands.openEditor, label };
      toolbar.addItem('cabinet-ask', new CommandToolbarButton(button));
    }
  };
  [...app.shell.widgets('main')].forEach(add);
  app.docRegistry.addWidgetExtension(PREVIEW, { createNew: add });
}

function addOpening({ app, editor, actions, sidebar, fileBrowser, trans }: ICommandOptions): void {
  const { commands, shell } = app;
  const open = () => shell.activateById(sidebar.id);
  commands.addCommand(Commands.askAboutFile, {
    label: trans.__('Ask an agent'),
    icon: editIcon,
    describedBy: NO_ARGS,
    isVisible: () => fileBrowser !== null,
    execute: async () => {
      const first = [...(fileBrowser?.selectedItems() ?? [])].find(
        item => item.type !== 'directory'
      );
      if (first) {
        await actions.openDocument(first.path);
        open();
      }
    }
  });
  commands.addCommand(Commands.showRun, {
    label: trans.__('Open run'),
    describedBy: {
      args: {
        type: 'object',
        required: ['session'],
        properties: {
          session: {
            type: 'string',
            description: trans.__('The id of the run’s session')
          },
          path: {
            type: 'string',
            description: trans.__('The document to show first')
          }
        }
      }
    },
    execute: async args => {
      if (args.path) {
        await actions.openDocument(String(args.path));
      }
      await editor.open(String(args.session));
      open();
    }
  });
  commands.addCommand(Commands.instruct, {
    label: trans.__('Give the next instruction'),
    describedBy: {
      args: {
        type: 'object',
        required: ['session', 'path', 'instruction'],
        properties: {
          session: { type: 'string', description: trans.__('The id of a session') },
          path: { type: 'string', description: trans.__('Its document') },
          instruction: { type: 'string', description: trans.__('The instruction') }
        }
      }
    },
    execute: ({ instruction, path, session }) =>
      editor.instruct(String(session), String(path), String(instruction))
  });
}

function addSessions(options: ICommandOptions): void {
  const { app, editor, connection, runtimes, actions, sidebar, focus, trans } = options;
  const { commands, shell } = app;
  const add = (
    command: string,
    options: Omit<CommandRegistry.ICommandOptions, 'label'> & { label: string }
  ) =>
    commands.addCommand(command, {
      describedBy: NO_ARGS,
      ...options,
      label: labelled(options.label, trans)
    });
  const show = () => {
    shell.activateById(sidebar.id);
    focus.focusComposer();
  };
  add(Commands.newSession, {
    label: trans.__('New session'),
    icon: addIcon,
    isEnabled: () => connection.mayRun,
    execute: () => {
      editor.startFresh();
      show();
    }
  });
  add(Commands.showHistory, {
    label: trans.__('Show session history'),
    icon: historyIcon,
    execute: () => {
      shell.activateById(sidebar.id);
      editor.showHistory();
    }
  });
  add(Commands.stopRun, {
    label: trans.__('Stop the run'),
    icon: stopIcon,
    isEnabled: () => connection.online && connection.mayRun && editor.activeRun !== null,
    execute: () => editor.stop()
  });
  add(Commands.closeSession, {
    label: trans.__('End session'),
    caption: trans.__('Closes the CLI of this session. You can continue the conversation later.'),
    isEnabled: () => connection.online && connection.mayRun && editor.terminalId !== null,
    execute: () => editor.closeSession()
  });
  add(Commands.showOutput, {
    label: trans.__('Show the run’s output'),
    isEnabled: () => editor.run !== null,
    execute: () => editor.run && actions.showOutput(editor.run.id)
  });
  add(CHECK_RUNTIMES, {
    label: trans.__('Search for agent CLIs again'),
    execute: () => runtimes.load()
  });
}
