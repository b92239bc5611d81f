/**
 * The commands that lead into the tab of plans. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { Commands, labelled } from '../shared/commands';
import { planIcon } from '../shared/icons/start';
import { isLab } from '../shared/labPage';
import { OPEN_PLAN, WORK_THROUGH } from '../shared/lateCommands';
import { serverPath } from '../shared/paths';

export interface IPlanCommands {
  app: JupyterFrontEnd;
  browser: IDefaultFileBrowser | null;
  documents: IDocumentManager | null;
  trans: TranslationBundle;
}

export function addPlanCommands(options: IPlanCommands): void {
  const { app, trans } = options;
  const { commands, shell } = app;
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
  commands.addCommand(WORK_THROUGH, {
    label: labelled(trans.__('Work through checklist…'), trans),
    caption: trans.__('Make a plan of the tasks in a Markdown file'),
    icon: planIcon,
    isVisible: () => isLab(app),
    isEnabled: args => checklistOf(args, options) !== null,
    describedBy: {
      args: {
        type: 'object',
        properties: {
          path: { type: 'string', description: trans.__('A Markdown file') },
          selected: {
            type: 'boolean',
            description: trans.__('Whether it is the file that is selected in the file browser')
          }
        }
      }
    },
    execute: args => {
      const checklist = checklistOf(args, options);
      return checklist && commands.execute(Commands.plans, { checklist });
    }
  });
  shell.currentChanged?.connect(() => commands.notifyCommandChanged(WORK_THROUGH));
}

/** The path of a Markdown file relative to the server's root; null: there is none. */
function checklistOf(args: ReadonlyPartialJSONObject, options: IPlanCommands): string | null {
  const { app, browser, documents } = options;
  const [selected] = browser?.selectedItems() ?? [];
  const current = app.shell.currentWidget && documents?.contextForWidget(app.shell.currentWidget);
  const path = args.path ?? (args.selected ? selected?.path : current?.path);
  const place = path ? serverPath(app.serviceManager.contents, String(path)) : null;
  return place !== null && /\.(md|markdown)$/i.test(place) ? place : null;
}
