/**
 * What the tab of skills is made of. Loaded when it is opened.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';

import { Commands } from '../shared/commands';
import type { IAnnouncer, IServer } from '../shared/tokens';
import type { LazyTab } from '../shared/views/lazyTab';
import { SkillsStore } from './stores/skills';
import { ToolServersStore } from './stores/toolServers';
import { ToolServersOfClisStore } from './stores/toolServersOfClis';
import { drawSkills } from './views/widget';

export async function fillSkills(
  tab: LazyTab,
  options: {
    app: JupyterFrontEnd;
    announcer: IAnnouncer;
    server: IServer;
    trans: TranslationBundle;
  }
): Promise<void> {
  const { announcer, app, trans } = options;
  const server = await options.server();
  if (tab.isDisposed) {
    return;
  }
  drawSkills(tab, {
    connection: server.connection,
    skills: new SkillsStore(server.client, server.events),
    toolServers: new ToolServersStore(server.client, server.events),
    ofClis: new ToolServersOfClisStore(server.client),
    trans,
    announce: words => announcer.polite(words),
    openAgent: agent => void app.commands.execute(Commands.openAgent, { agent })
  });
}
