/**
 * The commands that lead into the tab of plans. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';

import { Commands } from '../shared/commands';
import { planIcon } from '../shared/icons/start';
import { isLab } from '../shared/labPage';
import { OPEN_PLAN } from '../shared/lateCommands';

export function addPlanCommands(app: JupyterFrontEnd, trans: TranslationBundle): void {
  const { commands } = app;
  commands.addCommand(OPEN_PLAN, {
    label: trans.__('Open plan'),
    icon: planIcon,
    isVisible: () => isLab(app),
    describedBy: {
      args: {
        type: 'object',
        required: ['plan'],
        properties: {
          plan: { type: 'string', description: trans.__('The id of a plan') },
          step: { type: 'string', description: trans.__('The id of one of its steps') }
        }
      }
    },
    execute: ({ plan, step }) =>
      commands.execute(Commands.plans, { plan: plan ?? '', step: step ?? '' })
  });
}
