/**
 * The commands that show plays in a tab. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { addIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { Commands, labelled } from '../shared/commands';
import { playIcon } from '../shared/icons';
import { isLab } from '../shared/labPage';
import type { Lazy } from '../shared/lazy';
import type { IServer } from '../shared/tokens';
import { lazyTab, type LazyTab } from '../shared/views/lazyTab';
import type { IBoardServices } from './views/board/services';

const ID = 'cabinet-plays';

export function addPlayCommands(
  app: JupyterFrontEnd,
  server: IServer,
  services: Lazy<IBoardServices>,
  trans: TranslationBundle
): void {
  const { commands, shell } = app;
  const label = trans.__('Plays');
  let tab: LazyTab | null = null;
  const show = (args: ReadonlyPartialJSONObject) => {
    if (tab) {
      tab.content.follow?.(args);
    } else {
      tab = lazyTab(ID, label, playIcon, async made => {
        const [{ openPlays }, board, given] = await Promise.all([
          import(/* webpackChunkName: "plays" */ './playServices'),
          services(),
          server()
        ]);
        if (!made.isDisposed) {
          openPlays(made, board, given, args);
        }
      });
      tab.disposed.connect(() => (tab = null));
      // Beside what is open: a play belongs to the workspace, not to one agent.
      shell.add(tab, 'main', { type: 'Plays' });
    }
    shell.activateById(ID);
  };
  commands.addCommand(Commands.plays, {
    label: labelled(label, trans),
    caption: trans.__('Instructions that agents carry out again, and what starts them'),
    icon: playIcon,
    isVisible: () => isLab(app),
    describedBy: {
      args: {
        type: 'object',
        properties: {
          play: { type: 'string', description: trans.__('The play’s slug') },
          edit: { type: 'string', description: trans.__('Not empty: it is to be changed') }
        }
      }
    },
    execute: args => show(args)
  });
  commands.addCommand(Commands.newPlay, {
    label: labelled(trans.__('New play…'), trans),
    icon: addIcon,
    isVisible: () => isLab(app),
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => show({ new: 'true' })
  });
}
