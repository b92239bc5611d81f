/**
 * The agent CLIs: their section in JupyterLab's settings, the command that leads there, what a person chose to run
 * with, and our commands in the palette, which their names find.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator } from '@jupyterlab/translation';
import { IFormRendererRegistry } from '@jupyterlab/ui-components';

import { IRuns } from '../runs';
import { lazily } from '../shared/lazy';
import { IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { lazyElement } from '../shared/views/lazyElement';
import { IChoices, IRuntimes } from './tokens';

/** Its code comes when the page has started. */
const afterStart = () => import(/* webpackChunkName: "after-start" */ './afterStart');

export const runtimesPlugin: JupyterFrontEndPlugin<IRuntimes> = {
  id: 'jupyter-cabinet:runtime-list',
  description: 'The agent programs that the server has found.',
  autoStart: true,
  requires: [IServer],
  provides: IRuntimes,
  activate: (_: JupyterFrontEnd, server: IServer): IRuntimes =>
    lazily(async () => {
      const [{ RuntimeStore }, { client, events }] = await Promise.all([afterStart(), server()]);
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
        afterStart(),
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
    const trans = bundleOf(translator);
    const section = lazyElement(async () => {
      const { makeSection } = await import(/* webpackChunkName: "runtimes" */ './settingsSection');
      const made = await Promise.all([server(), runtimes(), runs()]);
      return makeSection(app, made, trans);
    });
    const drawn = section({});
    renderers?.addRenderer('jupyter-cabinet:plugin.runtimes', { fieldRenderer: () => drawn });
    void app.restored.then(async () => {
      const { addRuntimesCommand, listCommands } = await afterStart();
      addRuntimesCommand(app, trans);
      listCommands(palette, await runtimes(), trans);
    });
  }
};
