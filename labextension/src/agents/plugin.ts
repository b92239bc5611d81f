/**
 * Named agents: what a person confirms of them, and news of them as notifications.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { Commands, labelled } from '../shared/commands';
import { lazily } from '../shared/lazy';
import { IServer } from '../shared/tokens';
import { IAgents } from './tokens';

export const agentStorePlugin: JupyterFrontEndPlugin<IAgents> = {
  id: 'jupyter-cabinet:agent-store',
  description: 'The agents that this page shows, kept up by the server’s events.',
  autoStart: true,
  requires: [IServer],
  provides: IAgents,
  activate: (_: JupyterFrontEnd, server: IServer): IAgents =>
    lazily(async () => {
      const [{ AgentStore }, { client, events }] = await Promise.all([
        import(/* webpackChunkName: "notebook" */ './stores/agents'),
        server()
      ]);
      return new AgentStore(client, events);
    })
};

export const agentsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:agents',
  description:
    'Has agents and plays confirmed; tells what agents post, and when one waits for a person.',
  autoStart: true,
  requires: [IServer],
  optional: [ITranslator],
  activate: (app: JupyterFrontEnd, server: IServer, translator: ITranslator | null) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    app.commands.addCommand(Commands.confirmAgents, {
      label: labelled(trans.__('Confirm agents and plays…'), trans),
      caption: trans.__('Look at what agents and plays want to be allowed, and let them act'),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        const [{ confirmAll }, { ConfirmationStore }, { client }] = await Promise.all([
          import(/* webpackChunkName: "confirming" */ './views/confirmDialog'),
          import(/* webpackChunkName: "confirming" */ './stores/confirmations'),
          server()
        ]);
        await confirmAll(new ConfirmationStore(client), trans);
      }
    });
    void app.restored.then(async () => {
      const [{ notify }, { events }] = await Promise.all([
        import(/* webpackChunkName: "after-start" */ './notifications'),
        server()
      ]);
      notify(events, trans);
    });
  }
};
