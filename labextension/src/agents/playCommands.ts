/**
 * What makes a new play. Loaded after the start; `plugin.ts` has the command that shows them.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { addIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';

import { Commands, labelled, NO_ARGS } from '../shared/commands';
import { isLab } from '../shared/labPage';

export function addPlayCommands(app: JupyterFrontEnd, trans: TranslationBundle): void {
  app.commands.addCommand(Commands.newPlay, {
    label: labelled(trans.__('New play…'), trans),
    icon: addIcon,
    isVisible: () => isLab(app),
    describedBy: NO_ARGS,
    execute: () => app.commands.execute(Commands.plays, { new: 'true' })
  });
}
