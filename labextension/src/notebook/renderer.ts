/**
 * The renderer of our MIME type: an empty place that is filled when its code is there.
 */
import type { IRenderMime } from '@jupyterlab/rendermime';
import { Panel, type Widget } from '@lumino/widgets';

import type { Lazy } from '../shared/lazy';

/** The MIME type of what the kernel's displays leave in a notebook. */
export const VIEW_TYPE = 'application/vnd.jupyter-cabinet.view+json';

/** What draws an output. */
export interface IDrawnOutput {
  readonly widget: Widget;
  /** `data`: the view as the bundle has it; `saved`: the fallback texts for other readers. */
  show(data: unknown, saved: { markdown: string; plain: string }, trusted: boolean): void;
}

/** Makes the drawings of outputs. */
export interface IOutputs {
  draw(): IDrawnOutput;
}

class CabinetOutput extends Panel implements IRenderMime.IRenderer {
  constructor(private readonly _load: Lazy<IOutputs>) {
    super();
    this.addClass('jp-Cabinet-cell');
  }

  /** Called again for each new state of the same output: what is drawn stays. Never rejects. */
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this._model = model;
    try {
      const outputs = await this._load();
      if (this.isDisposed) {
        return;
      }
      if (!this._drawn) {
        this._drawn = outputs.draw();
        this.node.textContent = '';
        this.addWidget(this._drawn.widget);
      }
    } catch {
      this.node.textContent = textOf(this._model, 'text/plain'); // better than nothing
      return;
    }
    const { data, trusted } = this._model; // the newest: others may have come meanwhile
    const saved = {
      markdown: textOf(this._model, 'text/markdown'),
      plain: textOf(this._model, 'text/plain')
    };
    this._drawn.show(data[VIEW_TYPE], saved, trusted);
  }

  private _model: IRenderMime.IMimeModel | null = null;
  private _drawn: IDrawnOutput | null = null;
}

function textOf(model: IRenderMime.IMimeModel | null, type: string): string {
  const value = model?.data[type] ?? '';
  return Array.isArray(value) ? value.join('') : String(value);
}

/** Safe: what a bundle says is only ever an id to ask this server for, or text. */
export function outputFactory(load: Lazy<IOutputs>): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [VIEW_TYPE],
    createRenderer: () => new CabinetOutput(load)
  };
}
