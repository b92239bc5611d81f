/**
 * Makes what the outputs of notebooks are shown with. Loaded when the first of them is drawn.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { AgentStore } from '../agents';
import type { IApprovalServices } from '../approvals';
import type { RunStore } from '../runs';
import type { IRuntimes } from '../runtimes';
import type { Announcer } from '../shared/announcer';
import type { ICabinetServer } from '../shared/tokens';
import type { ITerminalServices } from '../terminal';
import type { IOutputs } from './renderer';
import { ConsentStore } from './stores/consent';
import { SpokenRuns } from './stores/spokenRuns';
import type { ICellServices } from './views/services';
import { createOutput } from './views/widget';

/** What other subjects give. */
export interface IOutputOptions {
  app: JupyterFrontEnd;
  rendermime: IRenderMimeRegistry;
  server: ICabinetServer;
  announcer: Announcer;
  runs: RunStore;
  agents: AgentStore;
  approvals: IApprovalServices;
  terminals: ITerminalServices;
  runtimes: IRuntimes;
  trans: TranslationBundle;
}

/** One polite region for all cells of the page is made with it. */
export async function makeOutputs(options: IOutputOptions): Promise<IOutputs> {
  const { app, agents, approvals, announcer, rendermime, runs, terminals, trans } = options;
  const { connection } = options.server;
  const runtimes = await options.runtimes();
  const spoken = new SpokenRuns(runs, announcer, trans);
  const consent = new ConsentStore(runs);
  const services: ICellServices = {
    agents,
    approvals,
    connection,
    confirmFolder: async () => (await options.server.client.confirmFolder?.()) ?? false,
    consent,
    outputs: await runs.outputs(),
    workSwitch: await runs.workSwitch(),
    rendermime,
    run: (command, args) => void app.commands.execute(command, args),
    has: command => app.commands.hasCommand(command),
    runs,
    runtimes,
    runtimeTitle: name => runtimes.items?.find(row => row.name === name)?.title ?? name ?? '',
    spoken,
    terminals,
    trans
  };
  speak(spoken);
  return { draw: () => createOutput(services) };
}

function speak(spoken: SpokenRuns): void {
  const region = document.createElement('div');
  region.className = 'jp-Cabinet-spoken';
  region.setAttribute('role', 'status');
  document.body.append(region);
  spoken.said.connect((_, text) => {
    region.textContent = text;
  });
}
