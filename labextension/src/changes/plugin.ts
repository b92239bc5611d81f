/**
 * What runs have changed: the store, and its review in a tab. Their code is loaded when it is needed.
 */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';
import { IFormRendererRegistry } from '@jupyterlab/ui-components';

import { IRuns } from '../runs';
import { Commands, labelled } from '../shared/commands';
import { diffIcon } from '../shared/icons/start';
import { lazily } from '../shared/lazy';
import { IAnnouncer, IServer } from '../shared/tokens';
import { bundleOf } from '../shared/translation';
import { lazyElement } from '../shared/views/lazyElement';
import { restoredTabs } from '../shared/views/restoredTabs';
import { IChanges } from './tokens';

const REVIEW_ARGS = {
  args: {
    type: 'object',
    properties: {
      run: { type: 'string', description: 'The run’s id; without it the newest run with changes' }
    }
  }
} as const;

export const changesPlugin: JupyterFrontEndPlugin<IChanges> = {
  id: 'jupyter-cabinet:changes',
  description: 'What runs have changed, and its review.',
  autoStart: true,
  requires: [IServer, IRuns, IAnnouncer],
  optional: [
    IEditorLanguageRegistry,
    IRenderMimeRegistry,
    ITranslator,
    IFormRendererRegistry,
    ILayoutRestorer
  ],
  provides: IChanges,
  activate: (
    app: JupyterFrontEnd,
    server: IServer,
    runs: IRuns,
    announcer: IAnnouncer,
    languages: IEditorLanguageRegistry | null,
    rendermime: IRenderMimeRegistry | null,
    translator: ITranslator | null,
    renderers: IFormRendererRegistry | null,
    restorer: ILayoutRestorer | null
  ): IChanges => {
    const trans = bundleOf(translator);
    const changes: IChanges = lazily(async () => {
      const [{ ChangesStore }, { client, events }] = await Promise.all([
        import(/* webpackChunkName: "changes" */ './stores/changes'),
        server()
      ]);
      return new ChangesStore(client, events, await runs());
    });
    const section = lazyElement(async () => {
      const [{ makeKeptSection }, { KeptStore }, { client }] = await Promise.all([
        import(/* webpackChunkName: "kept-changes" */ './views/KeptSection'),
        import(/* webpackChunkName: "kept-changes" */ './stores/kept'),
        server()
      ]);
      return makeKeptSection(new KeptStore(client), trans);
    });
    const drawn = section({});
    renderers?.addRenderer('jupyter-cabinet:plugin.changes', { fieldRenderer: () => drawn });
    const review = lazily(async () => {
      const [code, { connection }, store] = await Promise.all([
        import(/* webpackChunkName: "changes" */ './review'),
        server(),
        runs()
      ]);
      const rest = { announcer, languages, rendermime, trans };
      return { ...code, options: { changes, connection, runs: store, ...rest } };
    });
    const openTab = restoredTabs(app, restorer, {
      namespace: 'cabinet-review',
      command: Commands.review,
      argument: 'run',
      icon: diffIcon,
      type: 'Review',
      fill: async (tab, id) => {
        const { fillReviewTab, options } = await review();
        await fillReviewTab(tab, id, app, options);
      }
    });
    app.commands.addCommand(Commands.review, {
      label: labelled(trans.__('Review changes'), trans),
      icon: diffIcon,
      describedBy: REVIEW_ARGS,
      execute: async ({ run }) => {
        const { options, runToReview } = await review();
        const found = await runToReview(run ? String(run) : null, options);
        if (found) {
          openTab(found.id, trans.__('Review'));
        }
      }
    });
    return changes;
  }
};
