/**
 * What a person is asked, and told, when they rename, duplicate, export, import, archive, delete or restore an agent.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Dialog, InputDialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import type { AgentDetail } from '../../api/types';
import { Commands } from '../../shared/commands';
import { visible } from '../../shared/untrusted';
import { saveFile } from '../../shared/views/saveFile';
import type { AgentActions } from '../stores/agentActions';
import type { AgentStore } from '../stores/agents';
import type { ConfirmationStore } from '../stores/confirmations';
import { deleteWords, putAwayWord } from '../stores/removalWords';
import { askForNames } from './askForName';
import { askForBundle, askWhatToExport } from './bundleDialogs';
import { complain } from './complain';
import { confirmOne } from './confirmDialog';
import { dismissWhen, heldBefore } from './dismissing';
import { isFocusLost } from './parts';

/** What is done with an agent that is there. */
export type AgentVerb = 'rename' | 'duplicate' | 'export' | 'archive' | 'delete';

export interface IAgentDialogs {
  app: JupyterFrontEnd;
  agents: AgentStore;
  actions: AgentActions;
  confirmations: ConfirmationStore;
  trans: TranslationBundle;
}

/** Long enough to be read, and for a change of mind. In milliseconds. */
const UNDO_MS = 20_000;

/** `slug`: empty, and the person chooses. What the server refuses is shown. */
export async function carryOut(
  verb: AgentVerb,
  slug: string,
  dialogs: IAgentDialogs
): Promise<void> {
  const { actions, trans } = dialogs;
  try {
    const chosen = slug || (await chooseAgent(dialogs));
    if (chosen) {
      await DO[verb](await actions.get(chosen), dialogs);
    }
  } catch (reason) {
    complain(reason, trans);
  }
}

/** `name`: under which it was put away; empty, and the person chooses. */
export async function restore(name: string, dialogs: IAgentDialogs): Promise<void> {
  const { actions, app, trans } = dialogs;
  try {
    const chosen = name || (await choosePutAway(dialogs));
    if (chosen) {
      tellRestored(await actions.restore(chosen), dialogs);
      if (isFocusLost() || document.activeElement?.closest('.Toastify')) {
        // a notification takes the focus with it when it disappears
        app.shell.activateById(app.shell.currentWidget?.id ?? '');
      }
    }
  } catch (reason) {
    complain(reason, trans);
  }
}

/** From a file that the person chooses, once they have seen what it brings. Its page is opened then. */
export async function importAgent({ actions, app, trans }: IAgentDialogs): Promise<void> {
  const made = await askForBundle(actions, trans);
  if (made) {
    await app.commands.execute(Commands.openAgent, { agent: made.slug });
  }
}

type Do = (agent: AgentDetail, dialogs: IAgentDialogs) => Promise<void>;

const DO: Readonly<Record<AgentVerb, Do>> = {
  rename: ({ name, slug }, { actions, trans }) =>
    askForNames(
      {
        title: trans.__('Rename %1', visible(name)),
        note: trans.__(
          'Its memory, tasks, messages and history move with it. If plays or other agents mention its folder, change them by hand.'
        ),
        fields: nameFields(name, slug, trans),
        button: trans.__('Rename'),
        trans
      },
      async values => void (await actions.rename(slug, values.slug, values.name))
    ),
  duplicate: ({ name, slug }, dialogs) => {
    const { actions, trans } = dialogs;
    return askForNames(
      {
        title: trans.__('Duplicate %1', visible(name)),
        note: trans.__(
          'The copy has the same persona, schedule and steering files, and only you can see it. It starts without messages, tasks, memory, history or plays.'
        ),
        fields: nameFields(trans.__('%1 (copy)', name), `${slug.slice(0, 59)}-copy`, trans),
        button: trans.__('Duplicate'),
        trans
      },
      async values => {
        const made = await actions.duplicate(slug, values.slug, values.name);
        await dialogs.app.commands.execute(Commands.openAgent, { agent: made.slug });
      }
    );
  },
  export: async ({ name, slug }, { actions, trans }) => {
    const choice = await askWhatToExport(visible(name), trans);
    if (choice) {
      saveFile(await actions.export(slug, choice), `${slug}.agent.zip`);
    }
  },
  archive: async (agent, dialogs) => {
    const { actions, trans } = dialogs;
    const kept = await actions.remove(agent.slug, 'archive');
    tellRemoved(trans.__('%1 was archived.', visible(agent.name)), agent.slug, kept, dialogs);
  },
  delete: async (agent, dialogs) => {
    const { actions, trans } = dialogs;
    const sentences = deleteWords(await actions.affected(agent.slug), trans);
    const { button } = await showDialog({
      title: trans.__('Delete %1?', visible(agent.name)),
      body: paragraphs(sentences),
      buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Delete') })],
      defaultButton: 0
    });
    if (button.accept) {
      const kept = await actions.remove(agent.slug, 'delete');
      tellRemoved(trans.__('%1 was deleted.', visible(agent.name)), agent.slug, kept, dialogs);
    }
  }
};

function nameFields(name: string, slug: string, trans: TranslationBundle) {
  return [
    { key: 'name', label: trans.__('Name'), value: name },
    { key: 'slug', label: trans.__('Folder'), value: slug }
  ];
}

async function chooseAgent({ actions, trans }: IAgentDialogs): Promise<string> {
  const items = await actions.all();
  const labels = items.map(({ name, slug }) => `${visible(name)} (${visible(slug)})`);
  return choose(
    trans.__('Which agent?'),
    labels,
    items.map(({ slug }) => slug),
    trans
  );
}

async function choosePutAway({ agents, trans }: IAgentDialogs): Promise<string> {
  await agents.readAll();
  const found = agents.putAway;
  const labels = found.map(
    each =>
      `${visible(each.agent_name)}, ${putAwayWord(each, trans)}, ${new Date(each.at).toLocaleString()}`
  );
  return choose(
    trans.__('Restore which agent?'),
    labels,
    found.map(({ name }) => name),
    trans
  );
}

async function choose(
  title: string,
  labels: string[],
  values: string[],
  trans: TranslationBundle
): Promise<string> {
  if (!labels.length) {
    Notification.info(trans.__('No agents to choose from.'), { autoClose: 4_000 });
    return '';
  }
  const { button, value } = await InputDialog.getItem({ title, items: labels });
  return button.accept && value !== null ? (values[labels.indexOf(value)] ?? '') : '';
}

/** With a way back, for as long as the agent is not there again. */
function tellRemoved(text: string, slug: string, kept: string, dialogs: IAgentDialogs): void {
  const { agents, trans } = dialogs;
  const id = Notification.success(text, {
    autoClose: UNDO_MS,
    actions: [{ label: trans.__('Undo'), callback: () => void restore(kept, dialogs) }]
  });
  dismissWhen(
    id,
    agents,
    slug,
    heldBefore(() => agents.row(slug) === null)
  );
}

/** With what confirms it, where its files were changed while it was away. */
function tellRestored({ name, slug, status }: AgentDetail, dialogs: IAgentDialogs): void {
  const { agents, confirmations, trans } = dialogs;
  if (status !== 'unconfirmed') {
    Notification.success(trans.__('%1 was restored.', visible(name)), { autoClose: 4_000 });
    return;
  }
  const id = Notification.warning(
    trans.__('%1 was restored. Confirm it before it can run again.', visible(name)),
    {
      autoClose: UNDO_MS,
      actions: [
        {
          label: trans.__('Confirm…'),
          callback: () => void confirmOne(confirmations, 'agent', slug, trans)
        }
      ]
    }
  );
  dismissWhen(
    id,
    agents,
    slug,
    heldBefore(() => agents.get(slug)?.status === 'unconfirmed')
  );
}

function paragraphs(sentences: readonly string[]): Widget {
  const body = new Widget();
  sentences.forEach(sentence => {
    const line = document.createElement('p');
    line.textContent = sentence;
    body.node.append(line);
  });
  body.addClass('jp-Cabinet-names');
  return body;
}
