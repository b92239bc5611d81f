/**
 * The agent CLIs: their section in JupyterLab's settings, the command that leads there, what a person chose to run
 * with, and our commands in the palette, which their names find.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { IFormRendererRegistry } from '@jupyterlab/ui-components';

import { IRuns } from '../runs';
import { Commands, labelled } from '../shared/commands';
import { openLab } from '../shared/labPage';
import { lazily } from '../shared/lazy';
import { IServer } from '../shared/tokens';
import { lazyElement } from '../shared/views/lazyElement';
import { IChoices, IRuntimes } from './tokens';

const SETTINGS = 'settingeditor:open';
/** In an address of JupyterLab: that this shall be shown. */
const LINK_PARAMETER = 'cabinet-runtimes';

export const runtimesPlugin: JupyterFrontEndPlugin<IRuntimes> = {
  id: 'jupyter-cabinet:runtime-list',
  description: 'The agent programs that the server has found.',
  autoStart: true,
  requires: [IServer],
  provides: IRuntimes,
  activate: (_: JupyterFrontEnd, server: IServer): IRuntimes =>
    lazily(async () => {
      const [{ RuntimeStore }, { client, events }] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './stores/runtimes'),
        server()
      ]);
      return new RuntimeStore(client, events);
    })
};

export const choicesPlugin: JupyterFrontEndPlugin<IChoices> = {
  id: 'jupyter-cabinet:choices',
  description: 'What a person chose to run with, remembered for each person.',
  autoStart: true,
  requires: [IServer, IRuntimes],
  optional: [IStateDB],
  provides: IChoices,
  activate: (
    _: JupyterFrontEnd,
    server: IServer,
    runtimes: IRuntimes,
    stateDB: IStateDB | null
  ): IChoices =>
    lazily(async () => {
      const [{ ChoiceStore }, { connection }, store] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './stores/choices'),
        server(),
        runtimes()
      ]);
      const choices = new ChoiceStore(store, stateDB);
      choices.follow(connection);
      return choices;
    })
};

export const runtimeSettingsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:runtimes',
  description: 'Which agent programs were found, in the settings.',
  autoStart: true,
  requires: [IServer, IRuntimes, IRuns],
  optional: [ITranslator, IFormRendererRegistry, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    runtimes: IRuntimes,
    runs: IRuns,
    translator: ITranslator | null,
    renderers: IFormRendererRegistry | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    const section = lazyElement(async () => {
      const { makeSection } = await import(/* webpackChunkName: "runtimes" */ './settingsSection');
      const made = await Promise.all([server(), runtimes(), runs()]);
      return makeSection(app, made, trans);
    });
    const drawn = section({});
    renderers?.addRenderer('jupyter-cabinet:plugin.runtimes', { fieldRenderer: () => drawn });
    app.commands.addCommand(Commands.runtimes, {
      label: labelled(trans.__('Agent runtimes'), trans),
      caption: trans.__('Which agent programs were found, what they can do, and a test prompt'),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () =>
        app.commands.hasCommand(SETTINGS)
          ? app.commands.execute(SETTINGS, { query: 'Jupyter Cabinet' })
          : openLab(app, LINK_PARAMETER, '')
    });
    void app.restored.then(async () => {
      if (new URLSearchParams(location.search).has(LINK_PARAMETER)) {
        void app.commands.execute(Commands.runtimes);
      }
      const { listCommands } = await import(/* webpackChunkName: "after-start" */ './palette');
      listCommands(palette, await runtimes(), trans);
    });
  }
};
