/**
 * The command that opens a review, and its tabs. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Run } from '../api/types';
import { isOwn, type RunStore } from '../runs';
import type { Announcer } from '../shared/announcer';
import { Commands, labelled } from '../shared/commands';
import type { ConnectionStore } from '../shared/connection';
import { diffIcon } from '../shared/icons';
import { lazyTab, type LazyTab } from '../shared/views/lazyTab';
import type { IChanges } from './tokens';
import type { IReviewServices } from './views/services';

export interface IReviewOptions {
  changes: IChanges;
  connection: ConnectionStore;
  runs: RunStore;
  announcer: Announcer;
  languages: IEditorLanguageRegistry | null;
  rendermime: IRenderMimeRegistry | null;
  trans: TranslationBundle;
}

/**
 * Opens the review of a run, or shows it where it is open; without one that of the newest run with changes. Rejects for
 * a run that the server does not show.
 */
export function addReviewCommand(app: JupyterFrontEnd, options: IReviewOptions): void {
  const { runs, trans } = options;
  const open = new Map<string, LazyTab>();
  app.commands.addCommand(Commands.review, {
    label: labelled(trans.__('Review changes'), trans),
    icon: diffIcon,
    describedBy: {
      args: {
        type: 'object',
        properties: {
          run: {
            type: 'string',
            description: trans.__('The run’s id; without it the newest run with changes')
          }
        }
      }
    },
    execute: async args => {
      const run = args.run ? await runs.find(String(args.run)) : await runs.newestWithChanges();
      if (!run) {
        Notification.info(trans.__('No run has changed files yet.'));
        return;
      }
      const id = `cabinet-review-${run.id}`;
      let tab = open.get(id);
      if (!tab) {
        tab = lazyTab(id, trans.__('Review'), diffIcon, async made => {
          const [{ fillReview }, changes] = await Promise.all([
            import(/* webpackChunkName: "review" */ './views/widget'),
            options.changes()
          ]);
          fillReview(made, run, { ...reviewServices(app, options), changes });
        });
        tab.disposed.connect(() => open.delete(id));
        open.set(id, tab);
        app.shell.add(tab, 'main', { type: 'Review' });
      }
      app.shell.activateById(id);
    }
  });
}

function reviewServices(
  { commands }: JupyterFrontEnd,
  { announcer, connection, languages, rendermime, runs, trans }: IReviewOptions
): Omit<IReviewServices, 'changes'> {
  return {
    trans,
    rendermime,
    mayDecide: run => connection.mayRun && connection.online && isOwn(run, connection.username),
    readWhole: run => void runs.find(run.id).catch(() => undefined),
    openDocument: path => void commands.execute('docmanager:open', { path }),
    openReview: null,
    openRun: run =>
      void commands.execute(Commands.showRun, { session: run.session_id, path: run.path ?? '' }),
    instruct: async (run: Run, instruction: string) => {
      const { path, session_id: session } = run;
      return Boolean(await commands.execute(Commands.instruct, { session, path, instruction }));
    },
    language: async (name, path) => {
      const found = name ? languages?.findByName(name) : languages?.findByFileName(path);
      return (found && (await languages?.getLanguage(found))?.support) ?? [];
    },
    announce: words => announcer.polite(words)
  };
}
