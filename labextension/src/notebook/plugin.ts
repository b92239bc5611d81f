/**
 * What cells of a notebook show of runs, agents, goals and terminals. At the start only the renderer's factory;
 * what outputs draw comes lazily.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';

import { IAgents } from '../agents';
import { IApprovals } from '../approvals';
import { IRuns } from '../runs';
import { IRuntimes } from '../runtimes';
import { lazily } from '../shared/lazy';
import { IAnnouncer, IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { ITerminals } from '../terminal';
import { outputFactory } from './renderer';

/** Before a widget's own view (0), which is beside ours in the bundle, and before Markdown (60). */
const RANK = -10;

export const notebookPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:notebook',
  description: 'Shows runs, agents, goals and terminals in the outputs of notebooks.',
  autoStart: true,
  requires: [
    IRenderMimeRegistry,
    IServer,
    IAnnouncer,
    IRuns,
    IAgents,
    IApprovals,
    ITerminals,
    IRuntimes
  ],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    server: IServer,
    announcer: IAnnouncer,
    runs: IRuns,
    agents: IAgents,
    approvals: IApprovals,
    terminals: ITerminals,
    runtimes: IRuntimes,
    translator: ITranslator | null
  ) => {
    const trans = bundleOf(translator);
    const load = lazily(async () => {
      const { makeOutputs } = await import(/* webpackChunkName: "notebook" */ './services');
      return makeOutputs({
        app,
        rendermime,
        server: await server(),
        announcer,
        runs: await runs(),
        agents: await agents(),
        approvals: await approvals(),
        terminals: await terminals(),
        runtimes,
        trans
      });
    });
    rendermime.addFactory(outputFactory(load), RANK);
    // Elements that are in the page before become this one when it is defined.
    void app.restored.then(async () => {
      const { defineElement } = await import(/* webpackChunkName: "after-start" */ './element');
      defineElement(load);
    });
  }
};
