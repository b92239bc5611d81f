/**
 * The changes of a run in the preview of a Markdown file.
 */
import type { MarkdownViewer } from '@jupyterlab/markdownviewer';
import type { Widget } from '@lumino/widgets';

import type { IChangedPlace } from '../stores/changedPlaces';
import { type IRenderedPlace, renderedPlaces } from '../stores/renderedPlaces';
import type { IChangedView } from './changedViews';
import { previewOf, renderedBlocks } from './markdownPreview';
import { scrollToElement } from './scrollToElement';

import '../../../style/proposals.css';

const LIT = 'jp-Cabinet-lit-block';
const GONE = 'jp-Cabinet-lit-block-gone';

/** `null` for a view that is no preview. */
export function changedPreviewOf(widget: Widget, redraw: () => void): IChangedView | null {
  const viewer = previewOf(widget);
  return viewer && new ChangedPreview(viewer, redraw);
}

class ChangedPreview implements IChangedView {
  constructor(
    private readonly _viewer: MarkdownViewer,
    redraw: () => void
  ) {
    this._renderedText = _viewer.context.model.toString();
    _viewer.rendered.connect(({ context }) => {
      this._renderedText = context.model.toString();
      redraw();
    });
  }

  mark(places: readonly IChangedPlace[]): void {
    const { context, renderer } = this._viewer;
    for (const each of renderer.node.querySelectorAll(`.${LIT}, .${GONE}`)) {
      each.classList.remove(LIT, GONE);
    }
    const blocks = places.length ? renderedBlocks(this._viewer) : [];
    const texts = blocks.map(({ text }) => text);
    this._places = renderedPlaces(context.model.toString(), places, texts);
    this._nodes = blocks.map(({ node }) => node);
    for (const [{ lines }, { anchor, written }] of this._places) {
      written.forEach(block => this._nodes[block].classList.add(LIT));
      if (lines.length === 0 && anchor !== null) {
        this._nodes[anchor].classList.add(GONE);
      }
    }
  }

  /** A preview is drawn about a second after a change of its text: before that, no place is where it will be. */
  has(place: IChangedPlace): boolean {
    const isCurrent = this._renderedText === this._viewer.context.model.toString();
    return isCurrent && this._nodeOf(place) !== null;
  }

  reveal(place: IChangedPlace): void {
    const node = this._nodeOf(place);
    if (node) {
      scrollToElement(node, this._viewer.node);
    }
  }

  private _nodeOf(place: IChangedPlace): HTMLElement | null {
    const anchor = this._places.get(place)?.anchor ?? null;
    return anchor === null ? null : this._nodes[anchor];
  }

  private _places: ReadonlyMap<IChangedPlace, IRenderedPlace> = new Map();
  private _nodes: HTMLElement[] = [];
  private _renderedText: string;
}
