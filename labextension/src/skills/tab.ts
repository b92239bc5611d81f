/**
 * What the tab of skills is made of. Loaded when it is opened.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { Commands } from '../shared/commands';
import type { IAnnouncer, IServer } from '../shared/tokens';
import type { LazyTab } from '../shared/views/lazyTab';
import { LibraryPlace } from './stores/place';
import { SkillsStore } from './stores/skills';
import { ToolServersStore } from './stores/toolServers';
import { ToolServersOfClisStore } from './stores/toolServersOfClis';
import { drawSkills } from './views/widget';

export async function fillSkills(
  tab: LazyTab,
  options: {
    app: JupyterFrontEnd;
    announcer: IAnnouncer;
    /** Of the command that has opened the tab. */
    args: ReadonlyPartialJSONObject;
    server: IServer;
    trans: TranslationBundle;
  }
): Promise<void> {
  const { announcer, app, trans } = options;
  const server = await options.server();
  if (tab.isDisposed) {
    return;
  }
  const skills = new SkillsStore(server.client, server.events);
  const toolServers = new ToolServersStore(server.client, server.events);
  const place = new LibraryPlace(skills, toolServers);
  place.follow(options.args);
  tab.content.follow = later => place.follow(later);
  drawSkills(tab, {
    connection: server.connection,
    place,
    skills,
    toolServers,
    ofClis: new ToolServersOfClisStore(server.client),
    trans,
    announce: words => announcer.polite(words),
    openAgent: agent => void app.commands.execute(Commands.openAgent, { agent })
  });
}
