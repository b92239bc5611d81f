/**
 * What shared terminals are made of once the application is there: services for the panels, the running
 * list, requests, presence, links. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { type IThemeManager, Notification } from '@jupyterlab/apputils';
import { URLExt } from '@jupyterlab/coreutils';
import type { IRunningSessionManagers } from '@jupyterlab/running';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';

import type { Terminal } from '../api/types';
import { SETTINGS } from '../shared/settings';
import { Commands, labelled, TERMINAL_COMMAND } from '../shared/commands';
import { terminalIcon } from '../shared/icons/start';
import { PRIVATE_TERMINAL } from '../shared/lateCommands';
import type { IApprovalServices } from '../approvals';
import { guessSize } from './views/measure';
import type { IMenuEntry, ITerminalServices } from './views/services';
import type { TerminalVerb } from './views/pageTerminals';
import { AvatarStore } from './stores/avatars';
import { privacyText } from './stores/labels';
import { TerminalShortcuts } from './stores/shortcuts';
import { TerminalListStore } from './stores/terminals';
import type { IChoices, IRuntimes } from '../runtimes';
import type { Announcer } from '../shared/announcer';
import type { ICabinetServer } from '../shared/tokens';
import { TerminalAppearance } from './stores/appearance';
import { askForControl } from './controlRequests';
import { showPresence } from './presence';
import { isLab, LINK_PARAMETER } from '../shared/labPage';
import { listRunning } from './runningList';
import { addTerminalCommands } from './commands';

/** In pixels: the height of a tab's toolbar and of the line below it. */
const HEAD = 32 + 30;

/** What the terminals’ services are made with. */
export interface ITerminalOptions {
  app: JupyterFrontEnd;
  server: ICabinetServer;
  announcer: Announcer;
  approvals: IApprovalServices;
  runtimes: IRuntimes;
  choices: IChoices;
  trans: TranslationBundle;
}

/** Begins to read the list as soon as the server is connected. */
export function makeTerminals(options: ITerminalOptions): ITerminalServices {
  const { app, announcer, approvals, trans } = options;
  const { client, connection, events } = options.server;
  const { commands } = app;
  const list = new TerminalListStore(
    client,
    events,
    owner => connection.ownsAll || owner === connection.username
  );
  const bindings = (verb: TerminalVerb) =>
    commands.keyBindings.filter(
      binding => binding.command === TERMINAL_COMMAND + verb && binding.keys.length === 1
    );
  const shortcuts = new TerminalShortcuts(
    () => commands.keyBindings,
    command => commands.hasCommand(command) && commands.isEnabled(command)
  );
  return {
    connection,
    announcer,
    appearance: new TerminalAppearance(),
    trans,
    avatars: new AvatarStore(),
    list,
    approvals,
    confirmLink: async address =>
      (await import(/* webpackChunkName: "terminal" */ './views/dialogs')).confirmLink(
        address,
        trans
      ),
    keyOf: verb => {
      const [binding] = bindings(verb);
      return binding ? CommandRegistry.formatKeystroke(binding.keys[0]).replace(/\s/g, '+') : null;
    },
    isShortcut: event =>
      event.target instanceof Element &&
      shortcuts.takes(
        CommandRegistry.keystrokeForKeydownEvent(event),
        event.target,
        event.timeStamp
      ),
    run: (command, args) => void commands.execute(command, args),
    complain: reason => {
      const message = reason instanceof Error ? reason.message : String(reason);
      Notification.error(message, { autoClose: 8000 });
    },
    copyLink: id => copyLink(client.settings.baseUrl, id, trans),
    askPerson: async people =>
      (await import(/* webpackChunkName: "terminal" */ './views/dialogs')).askPerson(people, trans),
    confirmSharing: async isRecorded =>
      (await import(/* webpackChunkName: "terminal" */ './views/dialogs')).confirmSharing(
        isRecorded,
        trans
      ),
    askAgent: async (id, name) => {
      const [{ askAgent }, runtimes, choices] = await Promise.all([
        import(/* webpackChunkName: "terminal" */ './views/agentDialog'),
        options.runtimes(),
        options.choices()
      ]);
      const wanted = await askAgent({ connection, runtimes, choices, trans }, name);
      if (wanted) {
        await list.startAgent(id, wanted);
      }
    },
    openMenu,
    openCommands: (anchor, names) =>
      openMenu(
        anchor,
        names.map(name => ({
          label: commands.label(name),
          disabled: !commands.isEnabled(name),
          run: () => void commands.execute(name)
        }))
      )
  };
}

/** What only the application knows. */
export interface IStart {
  app: JupyterFrontEnd;
  services: ITerminalServices;
  running: IRunningSessionManagers | null;
  settingRegistry: ISettingRegistry | null;
  themes: IThemeManager | null;
  /** The terminal that the page's address asks for. */
  wanted: string | null;
}

/** Once the application is restored. */
export function start(options: IStart): void {
  const { app, services, running, wanted } = options;
  void followSettings(options);
  addTerminalCommands(app, services.trans);
  addPrivateTerminal(app, services);
  listRunning(app, running, services);
  askForControl(services);
  void showPresence(app, services);
  if (wanted) {
    const [command, args] =
      wanted === 'new'
        ? [Commands.newTerminal, undefined]
        : [Commands.openTerminal, { id: wanted }];
    void app.commands.execute(command, args).then(() => forgetLink(LINK_PARAMETER));
  }
}

function addPrivateTerminal(app: JupyterFrontEnd, services: ITerminalServices): void {
  const { commands } = app;
  const { trans } = services;
  commands.addCommand(PRIVATE_TERMINAL, {
    label: labelled(trans.__('Private Terminal'), trans),
    caption: () => privacyText(services.connection, trans),
    icon: terminalIcon,
    isVisible: () => isLab(app),
    describedBy: {
      args: {
        type: 'object',
        properties: { cwd: { type: 'string', description: trans.__('The folder to start in') } }
      }
    },
    execute: async args => {
      const terminal = await openTerminal(services, args.cwd as string | undefined, 'private');
      return terminal && commands.execute(Commands.openTerminal, { id: terminal.id });
    }
  });
}

async function followSettings({ services, settingRegistry, themes }: IStart): Promise<void> {
  const { appearance } = services;
  // The new theme's values are there after the next frame.
  themes?.themeChanged.connect(() => requestAnimationFrame(() => appearance.themeChanged()));
  const settings = await settingRegistry?.load(SETTINGS);
  const apply = () =>
    appearance.set(
      settings?.composite.terminalFontSize as number,
      settings?.composite.terminalScreenReader as boolean
    );
  if (settings) {
    apply();
    settings.changed.connect(apply);
  }
}

/** A URL navigates once: a reload is the layout's business. */
function forgetLink(parameter: string): void {
  const url = new URL(location.href);
  url.searchParams.delete(parameter);
  history.replaceState(history.state, '', url.href);
}

/** A new terminal with the size that it will have in the main area. `cwd`: may have a drive before it. */
export async function openTerminal(
  services: ITerminalServices,
  cwd: string | undefined,
  visibility: Terminal['visibility'] = 'server'
): Promise<Terminal | null> {
  const area = document.getElementById('jp-main-dock-panel');
  const { fontSize } = services.appearance;
  const size = area?.clientHeight ? guessSize(area, fontSize, HEAD) : {};
  // A drive's name is no part of the path on the server.
  const folder = cwd?.replace(/^[^/:]*:/, '');
  try {
    return await services.list.open({
      ...size,
      ...(folder ? { cwd: folder } : {}),
      visibility
    });
  } catch (reason) {
    services.complain(reason);
    return null;
  }
}

async function copyLink(baseUrl: string, id: string, trans: TranslationBundle): Promise<void> {
  const address = `${URLExt.join(baseUrl, 'lab')}?${LINK_PARAMETER}=${encodeURIComponent(id)}`;
  const link = new URL(address, location.href).href;
  try {
    await navigator.clipboard.writeText(link);
    Notification.info(
      trans.__('Link copied. Everyone who can view this terminal can open it with the link.'),
      { autoClose: 4000 }
    );
  } catch {
    // No clipboard without a secure address: let it be copied by hand.
    const { showLink } = await import(/* webpackChunkName: "terminal" */ './views/dialogs');
    await showLink(link, trans);
  }
}

function openMenu(anchor: HTMLElement, entries: IMenuEntry[]): void {
  const commands = new CommandRegistry();
  const menu = new Menu({ commands });
  entries.forEach((entry, index) => {
    if (entry === 'separator') {
      menu.addItem({ type: 'separator' });
      return;
    }
    const command = String(index);
    commands.addCommand(command, {
      label: entry.label,
      describedBy: { args: { type: 'object', properties: {} } },
      isToggled: () => entry.checked ?? false,
      isEnabled: () => !entry.disabled,
      execute: entry.run
    });
    menu.addItem({ command });
  });
  menu.aboutToClose.connect(() => {
    anchor.focus();
    requestAnimationFrame(() => menu.dispose()); // after the chosen command has begun
  });
  const { right, bottom } = anchor.getBoundingClientRect();
  menu.open(right, bottom, { horizontalAlignment: 'right' });
}
