/**
 * Which run is reviewed, and what its tab shows. Loaded when a review is opened.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Run } from '../api/types';
import type { RunStore } from '../runs';
import type { Announcer } from '../shared/announcer';
import { Commands } from '../shared/commands';
import type { ConnectionStore } from '../shared/connection';
import type { LazyTab } from '../shared/views/lazyTab';
import { mayDecide } from './stores/deciders';
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
 * The run with this id; without one the newest run with changes. Null, with a notification, if there is none. Rejects
 * for a run that the server does not show.
 */
export async function runToReview(
  id: string | null,
  { runs, trans }: IReviewOptions
): Promise<Run | null> {
  const run = id === null ? await runs.newestWithChanges() : await runs.find(id);
  if (!run) {
    Notification.info(trans.__('No run has changed files yet.'), { autoClose: 4_000 });
  }
  return run;
}

export async function fillReviewTab(
  tab: LazyTab,
  runId: string,
  app: JupyterFrontEnd,
  options: IReviewOptions
): Promise<void> {
  const [{ fillReview }, run, changes] = await Promise.all([
    import(/* webpackChunkName: "review" */ './views/widget'),
    options.runs.find(runId),
    options.changes()
  ]);
  if (!tab.isDisposed) {
    fillReview(tab, run, { ...reviewServices(app, options), changes });
  }
}

function reviewServices(
  { commands }: JupyterFrontEnd,
  { announcer, connection, languages, rendermime, runs, trans }: IReviewOptions
): Omit<IReviewServices, 'changes'> {
  return {
    connection,
    trans,
    rendermime,
    mayDecide: run => mayDecide(run, connection),
    readWhole: run => void runs.find(run.id).catch(() => undefined),
    openDocument: path => void commands.execute('docmanager:open', { path }),
    openReview: null,
    openRun: async ({ id }) => {
      const { openRun } = await import(/* webpackChunkName: "run-output" */ '../runs/views');
      await openRun(id, { commands, runs, trans });
    },
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
