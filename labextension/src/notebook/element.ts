/**
 * `<jupyter-cabinet-view>`: the same as an output, for widgets in a layout. Its property `view` is the object of our
 * MIME type; only a script can set it, so a notebook that is not trusted cannot.
 */
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { Lazy } from '../shared/lazy';
import type { IDrawnOutput, IOutputs } from './renderer';

const NAME = 'jupyter-cabinet-view';
const NOTHING_SAVED = { markdown: '', plain: '' };

/** Defines it for the page, once. */
export function defineElement(load: Lazy<IOutputs>): void {
  class CabinetViewElement extends HTMLElement {
    get view(): unknown {
      return this._view;
    }

    set view(view: unknown) {
      this._view = view;
      this._drawn?.show(view, NOTHING_SAVED, true);
    }

    connectedCallback(): void {
      if (Object.hasOwn(this, 'view')) {
        // It was set before the page knew this element: then it hides the accessor.
        const { view } = this;
        delete (this as { view?: unknown }).view;
        this.view = view;
      }
      void this._draw();
    }

    disconnectedCallback(): void {
      const { widget } = this._drawn ?? {};
      this._drawn = null;
      if (widget) {
        // Lumino detaches only what is still in the page.
        MessageLoop.sendMessage(widget, Widget.Msg.BeforeDetach);
        widget.node.remove();
        MessageLoop.sendMessage(widget, Widget.Msg.AfterDetach);
        widget.dispose();
      }
    }

    private async _draw(): Promise<void> {
      const outputs = await load().catch(() => null);
      if (outputs && this.isConnected && !this._drawn) {
        this._drawn = outputs.draw();
        Widget.attach(this._drawn.widget, this);
        this._drawn.show(this._view, NOTHING_SAVED, true);
      }
    }

    private _view: unknown = null;
    private _drawn: IDrawnOutput | null = null;
  }
  if (!customElements.get(NAME)) {
    customElements.define(NAME, CabinetViewElement);
  }
}
