/**
 * Puts the strip over each open document that an agent edits or has changed, or in which another person's agent works,
 * and removes it. Loaded after the start.
 */
import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import type { MainAreaWidget } from '@jupyterlab/apputils';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import { Commands } from '../shared/commands';
import type { Announcer } from '../shared/announcer';
import type { ICabinetServer } from '../shared/tokens';
import type { ChangesInDocuments } from './changesInDocuments';
import type { DocumentFollower } from './stores/follower';
import { OthersWork } from './stores/othersWork';
import type { OpenDocuments } from './openDocuments';
import type { UnsavedTexts } from './unsavedTexts';

/** Create the store of other people's work. It is never disposed: it is needed until the page is closed. */
function readOthersWork({ client, events }: ICabinetServer): OthersWork {
  return new OthersWork(client, events);
}

export function showStrips(options: {
  app: JupyterFrontEnd;
  announcer: Announcer;
  changed: ChangesInDocuments;
  follower: DocumentFollower;
  server: ICabinetServer;
  documents: OpenDocuments;
  labShell: ILabShell | null;
  trans: TranslationBundle;
  unsaved: UnsavedTexts;
}): void {
  const { announcer, app, changed, follower, documents, labShell, trans, unsaved } = options;
  const { connection } = options.server;
  const others = readOthersWork(options.server);
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
      others,
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

  const isWanted = (path: string | null): boolean =>
    follower.conflict(path) ||
    unsaved.of(path) !== null ||
    follower.editing(path) !== null ||
    changed.reading(path) !== null ||
    others.in(path).length > 0 ||
    changed.has(path);

  /** A strip takes room only while it says something. */
  const update = (): void => {
    follower.follow();
    for (const context of documents.contexts()) {
      const wanted = isWanted(documents.pathOf(context));
      for (const widget of documents.widgetsOf(context)) {
        const strip = strips.get(widget) ?? null;
        if (wanted && !strip && 'contentHeader' in widget) {
          strips.set(widget, addStrip(widget as MainAreaWidget));
        } else if (!wanted && strip) {
          void strip.then(old => remove(widget, context, old));
        }
      }
    }
  };

  /**
   * Once all have heard of what has happened: a run that has ended may be about to show its changes. To remove a strip
   * and to add one again costs JupyterLab more time than all that the strip shows.
   */
  const remove = (widget: Widget, context: DocumentRegistry.Context, old: Widget): void => {
    if (!old.isDisposed && !isWanted(documents.pathOf(context))) {
      strips.set(widget, null);
      old.dispose();
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
  others.changed.connect(update);
  labShell?.layoutModified.connect(update);
  update();
}
