/**
 * The strip over each open document that an agent edits.
 */
import {
  ILabShell,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import type { MainAreaWidget } from '@jupyterlab/apputils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import { Commands } from '../commands';
import { ICabinet } from '../tokens';
import { OpenDocuments } from './openDocuments';

export const documentsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:documents',
  description: 'Says over a document that an agent edits it, and asks where both have changed it.',
  autoStart: true,
  requires: [ICabinet, IDocumentManager],
  optional: [ITranslator, ILabShell],
  activate: (
    app: JupyterFrontEnd,
    cabinet: ICabinet,
    documentManager: IDocumentManager,
    translator: ITranslator | null,
    labShell: ILabShell | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    const documents = new OpenDocuments(app, documentManager, trans);
    const { follower } = cabinet;
    const strips = new WeakMap<Widget, Promise<Widget> | null>();

    const addStrip = async (widget: MainAreaWidget): Promise<Widget> => {
      const { createDocumentStrip } = await import('../panels/document/strip');
      const context = documents.contextOf(widget)!;
      const strip = createDocumentStrip({
        follower,
        path: () => documents.pathOf(context),
        isNotebook: context.path.endsWith('.ipynb'),
        trans,
        showRun: run =>
          void app.commands.execute(Commands.showRun, {
            session: run.session_id
          })
      });
      widget.contentHeader.addWidget(strip);
      return strip;
    };

    /** A strip takes room only while it says something. */
    const update = (): void => {
      for (const context of documents.contexts()) {
        const path = documents.pathOf(context);
        const wanted = follower.conflict(path) || follower.editing(path) !== null;
        for (const widget of documents.widgetsOf(context)) {
          const strip = strips.get(widget) ?? null;
          if (wanted && !strip && 'contentHeader' in widget) {
            strips.set(widget, addStrip(widget as MainAreaWidget));
          } else if (!wanted && strip) {
            strips.set(widget, null);
            void strip.then(old => old.dispose());
          }
        }
      }
    };
    follower.changed.connect(update);
    labShell?.layoutModified.connect(update);
  }
};
