/**
 * JupyterLab's open documents as the stores see them: paths of the server's root folder, places to keep.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import { serverPath } from '../shared/paths';
import type { IOpenDocuments } from './stores/follower';

type Context = DocumentRegistry.Context;

/** All questions about JupyterLab’s open documents. It keeps nothing: each answer is as things are now. */
export class OpenDocuments implements IOpenDocuments {
  constructor(
    private readonly _app: JupyterFrontEnd,
    private readonly _manager: IDocumentManager,
    private readonly _trans: TranslationBundle
  ) {}

  contexts(): Context[] {
    const found = [...this._app.shell.widgets('main')].map(widget => this.contextOf(widget));
    return found.filter(
      (context, index): context is Context => context !== null && found.indexOf(context) === index
    );
  }

  contextOf(widget: Widget | null): Context | null {
    return (widget && this._manager.contextForWidget(widget)) ?? null;
  }

  /** All views of a document. */
  widgetsOf(context: Context): Widget[] {
    return [...this._app.shell.widgets('main')].filter(
      widget => this.contextOf(widget) === context
    );
  }

  pathOf(context: Context): string | null {
    return this.localPath(context.path);
  }

  /** Relative to the server's root folder; null for what lies on another drive. */
  localPath(path: string): string | null {
    return serverPath(this._app.serviceManager.contents, path);
  }

  async askToSave(path: string): Promise<boolean> {
    return (
      await import(/* webpackChunkName: "document-content" */ './views/saveDialog')
    ).askToSave(path, this._trans);
  }

  async keepScroll(context: Context): Promise<() => void> {
    const { scrollPositionOf } = await import(
      /* webpackChunkName: "document-content" */ './scrollPosition'
    );
    const places = this.widgetsOf(context).map(scrollPositionOf);
    return () => places.forEach(putBack => putBack());
  }
}
