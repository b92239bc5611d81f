/**
 * Which document the editor is about: the last one that was current in the main area and is still open.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { Signal, type ISignal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

import type { OpenDocuments } from '../documents';

/** `changed` fires for another document, and for another path of the same one. */
export class CurrentDocument {
  constructor(
    private readonly _app: JupyterFrontEnd,
    private readonly _documents: OpenDocuments
  ) {
    _app.shell.currentChanged?.connect(this._update, this);
  }

  readonly changed: ISignal<this, void> = new Signal<this, void>(this);

  get widget(): Widget | null {
    return this._widget;
  }

  get context(): DocumentRegistry.Context | null {
    return this._widget && this._documents.contextOf(this._widget);
  }

  get path(): string | null {
    const { context } = this;
    return context && this._documents.pathOf(context);
  }

  get name(): string | null {
    return this.path?.split('/').pop() ?? null;
  }

  get kind(): 'notebook' | 'file' {
    return this.path?.endsWith('.ipynb') ? 'notebook' : 'file';
  }

  focus(): void {
    if (this._widget) {
      this._app.shell.activateById(this._widget.id);
    }
  }

  private _update(): void {
    const widget = this._app.shell.currentWidget;
    const context = this._documents.contextOf(widget);
    if (context && widget && widget !== this._widget) {
      this._leave();
      this._widget = widget;
      widget.disposed.connect(this._onClosed, this);
      context.pathChanged.connect(this._tell, this);
      // A document that is just being opened has its model a moment later.
      void context.ready.then(() => this._tell());
      this._tell();
    }
  }

  private _onClosed(): void {
    this._widget = null;
    this._update();
    this._tell();
  }

  private _leave(): void {
    this._widget?.disposed.disconnect(this._onClosed, this);
    this.context?.pathChanged.disconnect(this._tell, this);
  }

  private _tell(): void {
    (this.changed as Signal<this, void>).emit();
  }

  private _widget: Widget | null = null;
}
