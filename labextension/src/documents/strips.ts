/**
 * Puts the strip over each open document that an agent edits or has changed, and removes it. Loaded after the start.
 */
import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import type { MainAreaWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import { Commands } from '../shared/commands';
import type { Announcer } from '../shared/announcer';
import type { ConnectionStore } from '../shared/connection';
import type { ChangesInDocuments } from './changesInDocuments';
import type { DocumentFollower } from './stores/follower';
import type { OpenDocuments } from './openDocuments';
import type { UnsavedTexts } from './unsavedTexts';

export function showStrips(options: {
  app: JupyterFrontEnd;
  announcer: Announcer;
  changed: ChangesInDocuments;
  follower: DocumentFollower;
  connection: ConnectionStore;
  documents: OpenDocuments;
  labShell: ILabShell | null;
  trans: TranslationBundle;
  unsaved: UnsavedTexts;
}): void {
  const { announcer, app, changed, follower, connection, documents, labShell, trans } = options;
  const { unsaved } = options;
  const strips = new WeakMap<Widget, Promise<Widget> | null>();

  const addStrip = async (widget: MainAreaWidget): Promise<Widget> => {
    const { createDocumentStrip } = await import(
      /* webpackChunkName: "documents" */ './views/DocumentStrip'
    );
    const context = documents.contextOf(widget)!;
    const strip = createDocumentStrip({
      follower,
      path: () => documents.pathOf(context),
      isNotebook: context.path.endsWith('.ipynb'),
      trans,
      changed,
      unsaved,
      connection,
      openDocument: file => void app.commands.execute('docmanager:open', { path: file }),
      openReview: run => void app.commands.execute(Commands.review, { run: run.id }),
      announce: words => announcer.polite(words),
      leave: () => app.shell.activateById(widget.id),
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
    follower.follow();
    for (const context of documents.contexts()) {
      const path = documents.pathOf(context);
      const wanted =
        follower.conflict(path) ||
        unsaved.of(path) !== null ||
        follower.editing(path) !== null ||
        changed.has(path);
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
  follower.refused.connect(() =>
    announcer.polite(
      trans.__('Not saved: the file was changed. Choose a version above the document first.')
    )
  );
  changed.shown.changed.connect(update);
  unsaved.changed.connect(update);
  labShell?.layoutModified.connect(update);
  update();
}
