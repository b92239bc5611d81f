/**
 * The commands about one agent as a whole: rename, duplicate, export, import, archive, delete, restore. Loaded after the start;
 * what they do is loaded when it is needed.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { CabinetClient } from '../api/client';
import { AgentCommands } from '../shared/lateCommands';
import { labelled, NO_ARGS } from '../shared/commands';
import type { ConnectionStore } from '../shared/connection';
import type { IAgents } from './tokens';
import type { AgentStore } from './stores/agents';
import { whyNot } from './stores/rights';
import type { AgentVerb } from './views/agentDialogs';

/** How the ids of the tabs of agents begin. */
const PAGE_ID = 'cabinet-agent-page-';

interface IParts {
  app: JupyterFrontEnd;
  agents: IAgents;
  client: CabinetClient;
  connection: ConnectionStore;
  trans: TranslationBundle;
}

export function addAgentCommands(parts: IParts): void {
  const { agents, app, client, connection, trans } = parts;
  const { commands } = app;
  let store: AgentStore | null = null;
  void agents().then(made => (store = made));
  const verbs: [string, AgentVerb, string, string][] = [
    [AgentCommands.rename, 'rename', trans.__('Rename…'), trans.__('Rename agent…')],
    [AgentCommands.duplicate, 'duplicate', trans.__('Duplicate…'), trans.__('Duplicate agent…')],
    [AgentCommands.export, 'export', trans.__('Export…'), trans.__('Export agent…')],
    [AgentCommands.archive, 'archive', trans.__('Archive'), trans.__('Archive agent')],
    [AgentCommands.delete, 'delete', trans.__('Delete…'), trans.__('Delete agent…')]
  ];
  const rowOf = (slug: string) => store?.row(slug) ?? null;
  const load = async () => {
    const [views, { AgentActions }, { ConfirmationStore }] = await Promise.all([
      import(/* webpackChunkName: "confirming" */ './views/agentDialogs'),
      import(/* webpackChunkName: "confirming" */ './stores/agentActions'),
      import(/* webpackChunkName: "confirming" */ './stores/confirmations')
    ]);
    return {
      ...views,
      dialogs: {
        app,
        actions: new AgentActions(client),
        agents: await agents(),
        confirmations: new ConfirmationStore(client),
        trans
      }
    };
  };
  verbs.forEach(([id, verb, short, long]) =>
    commands.addCommand(id, {
      label: args => (args.agent ? short : labelled(long, trans)(args)),
      caption: args => {
        const owned = verb === 'duplicate' ? null : rowOf(String(args.agent ?? ''));
        return whyNot(owned, connection, trans) ?? '';
      },
      isEnabled: args =>
        whyNot(verb === 'duplicate' ? null : rowOf(String(args.agent ?? '')), connection, trans) ===
        null,
      describedBy: {
        args: {
          type: 'object',
          properties: { agent: { type: 'string', description: trans.__('The agent’s slug') } }
        }
      },
      execute: async args => {
        const { carryOut, dialogs } = await load();
        await carryOut(verb, String(args.agent ?? '') || shownAgent(app), dialogs);
      }
    })
  );
  commands.addCommand(AgentCommands.restore, {
    label: labelled(trans.__('Restore agent…'), trans),
    isEnabled: () => whyNot(null, connection, trans) === null,
    describedBy: {
      args: {
        type: 'object',
        properties: {
          name: {
            type: 'string',
            description: trans.__('The name of the agent’s folder in the archive or the trash')
          }
        }
      }
    },
    execute: async args => {
      const { dialogs, restore } = await load();
      await restore(String(args.name ?? ''), dialogs);
    }
  });
  commands.addCommand(AgentCommands.import, {
    label: labelled(trans.__('Import agent…'), trans),
    caption: trans.__('Add an agent from a file that another server has exported'),
    isEnabled: () => whyNot(null, connection, trans) === null,
    describedBy: NO_ARGS,
    execute: async () => {
      const { dialogs, importAgent } = await load();
      await importAgent(dialogs);
    }
  });
  const tell = () =>
    [...verbs.map(([id]) => id), AgentCommands.restore, AgentCommands.import].forEach(id =>
      commands.notifyCommandChanged(id)
    );
  connection.changed.connect(tell);
}

/** The slug of the agent whose page is the current tab; empty where it is none. */
function shownAgent({ shell }: JupyterFrontEnd): string {
  const id = shell.currentWidget?.id ?? '';
  return id.startsWith(PAGE_ID) ? id.slice(PAGE_ID.length) : '';
}
