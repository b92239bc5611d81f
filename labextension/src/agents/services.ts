/**
 * Makes what the list of agents is shown with. Loaded when it is first needed.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IStateDB } from '@jupyterlab/statedb';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IApprovals } from '../approvals';
import type { IRuns } from '../runs';
import type { IRuntimes } from '../runtimes';
import type { ICabinetServer } from '../shared/tokens';
import type { IAgents } from './tokens';
import { openAgentMenu } from './agentMenu';
import { NewAgentRequest } from './stores/newAgentRequest';
import { BoardStore } from './stores/board';
import { ConfirmationStore } from './stores/confirmations';
import { NewAgentStore } from './stores/newAgent';
import type { IBoardServices } from './views/board/services';
import { complain } from './views/complain';

/** What other subjects give. */
export interface IBoardParts {
  app: JupyterFrontEnd;
  server: ICabinetServer;
  agents: IAgents;
  runs: IRuns;
  approvals: IApprovals;
  runtimes: IRuntimes;
  stateDB: IStateDB | null;
  trans: TranslationBundle;
}

export async function makeBoard(parts: IBoardParts): Promise<IBoardServices> {
  const { app, server, stateDB, trans } = parts;
  const { client, connection } = server;
  const [agents, runs, approvals, runtimes] = await Promise.all([
    parts.agents(),
    parts.runs(),
    parts.approvals(),
    parts.runtimes()
  ]);
  const board = new BoardStore(agents, stateDB);
  board.follow(connection);
  const confirmations = new ConfirmationStore(client);
  const dialogs = () => import(/* webpackChunkName: "confirming" */ './views/confirmDialog');
  return {
    agents,
    approvals: approvals.store,
    asked: new NewAgentRequest(),
    board,
    confirm: slug =>
      void dialogs()
        .then(made => made.confirmOne(confirmations, 'agent', slug, trans))
        .then(() => agents.forgetRefusal(slug)),
    confirmRoot: () =>
      void client.confirmFolder?.().catch((reason: unknown) => complain(reason, trans)),
    connection,
    has: command => app.commands.hasCommand(command),
    openMenu: (slug, anchor) => openAgentMenu(app.commands, slug, anchor),
    newAgent: () => new NewAgentStore(client, () => (agents.rows ?? []).map(({ slug }) => slug)),
    run: (command, args) => void app.commands.execute(command, args),
    runs,
    runtimes,
    runtimeTitle: name => runtimes.items?.find(row => row.name === name)?.title ?? name ?? '',
    trans,
    workSwitch: await runs.workSwitch()
  };
}
