/**
 * Shared terminals: the commands, the launcher's tile, tabs that come back after a reload.
 * All that the start needs; what they do comes lazily from `services.ts`.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IThemeManager } from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { IRunningSessionManagers } from '@jupyterlab/running';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, type TranslationBundle } from '@jupyterlab/translation';

import { IFormRendererRegistry } from '@jupyterlab/ui-components';

import { Commands, labelled } from '../shared/commands';
import { terminalIcon } from '../shared/icons/start';
import { IApprovals } from '../approvals';
import { IChoices, IRuntimes } from '../runtimes';
import { lazily } from '../shared/lazy';
import { IAnnouncer, IServer } from '../shared/tokens';
import { lazyElement } from '../shared/views/lazyElement';
import { type OpenTab, restoredTabs } from '../shared/views/restoredTabs';
import { ITerminals } from './tokens';
import { isLab, LINK_PARAMETER, openLab } from '../shared/labPage';
import { bundleOf } from '../shared/translation';

/** Its code comes when the page has started. */
const afterStart = () => import(/* webpackChunkName: "after-start" */ './services');

export const terminalsPlugin: JupyterFrontEndPlugin<ITerminals> = {
  id: 'jupyter-cabinet:terminals',
  description: 'Shared terminals: many watch, one types.',
  autoStart: true,
  requires: [IServer, IAnnouncer, IApprovals, IRuntimes, IChoices],
  optional: [
    ITranslator,
    ILauncher,
    ILayoutRestorer,
    IRunningSessionManagers,
    IFormRendererRegistry,
    ISettingRegistry,
    IThemeManager
  ],
  provides: ITerminals,
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    announcer: IAnnouncer,
    approvals: IApprovals,
    runtimes: IRuntimes,
    choices: IChoices,
    translator: ITranslator | null,
    launcher: ILauncher | null,
    restorer: ILayoutRestorer | null,
    running: IRunningSessionManagers | null,
    renderers: IFormRendererRegistry | null,
    settingRegistry: ISettingRegistry | null,
    themes: IThemeManager | null
  ): ITerminals => {
    const trans = bundleOf(translator);
    const terminals: ITerminals = lazily(async () => {
      const [{ makeTerminals }, made, questions] = await Promise.all([
        afterStart(),
        server(),
        approvals()
      ]);
      return makeTerminals({
        app,
        server: made,
        announcer,
        approvals: questions,
        runtimes,
        choices,
        trans
      });
    });
    const wanted = new URLSearchParams(location.search).get(LINK_PARAMETER);
    const openTab = restoredTabs(app, restorer, {
      namespace: 'cabinet-terminal',
      command: Commands.openTerminal,
      argument: 'id',
      icon: terminalIcon,
      type: 'Shared Terminal',
      fill: async (tab, id, _args, isRestored) => {
        const parts = await terminals();
        const { fillTerminal } = await import(/* webpackChunkName: "terminal" */ './views/widget');
        await fillTerminal(tab, id, parts, isRestored);
      }
    });
    addOpening(app, terminals, openTab, trans);
    launcher?.add({ command: Commands.newTerminal, category: trans.__('Other'), rank: 2 });
    const fontSize = lazyElement(async () => {
      const { FontSize } = await import(/* webpackChunkName: "terminal" */ './views/fontSizeField');
      return FontSize;
    });
    renderers?.addRenderer('jupyter-cabinet:plugin.terminalFontSize', { fieldRenderer: fontSize });
    void app.restored.then(async () => {
      const { start } = await afterStart();
      const services = await terminals();
      start({ app, services, running, settingRegistry, themes, wanted });
    });
    return terminals;
  }
};

function addOpening(
  app: JupyterFrontEnd,
  terminals: ITerminals,
  openTab: OpenTab,
  trans: TranslationBundle
): void {
  const { commands } = app;
  const show = (id: string) => {
    if (!isLab(app)) {
      openLab(app, LINK_PARAMETER, id);
      return null;
    }
    return openTab(id, trans.__('Shared terminal'));
  };
  commands.addCommand(Commands.newTerminal, {
    label: labelled(trans.__('Shared Terminal'), trans),
    caption: trans.__('Open a terminal that many watch and one controls'),
    icon: terminalIcon,
    describedBy: {
      args: {
        type: 'object',
        properties: { cwd: { type: 'string', description: trans.__('The folder to start in') } }
      }
    },
    execute: async args => {
      if (!isLab(app)) {
        return openLab(app, LINK_PARAMETER, 'new'); // before any wait: a later window is a pop-up
      }
      const { openTerminal } = await afterStart();
      const terminal = await openTerminal(await terminals(), args.cwd as string | undefined);
      await app.restored; // a tab that is added before is not shown
      return terminal && show(terminal.id);
    }
  });
  commands.addCommand(Commands.openTerminal, {
    label: trans.__('Open a shared terminal'),
    icon: terminalIcon,
    describedBy: {
      args: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string', description: trans.__('The terminal’s id') } }
      }
    },
    execute: args => show(String(args.id))
  });
}
