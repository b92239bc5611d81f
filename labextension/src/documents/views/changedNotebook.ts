/**
 * The changes of a run in a notebook, by cell.
 */
import type { Cell } from '@jupyterlab/cells';
import type { Notebook } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import { cellIndexOf, type IChangedPlace } from '../stores/changedPlaces';
import { markPlaces, positionOf } from './changedLineMarks';
import type { IChangedView } from './changedViews';
import { editorsOf } from './editors';
import { scrollToElement } from './scrollToElement';

import '../../../style/proposals.css';

const LIT = 'jp-Cabinet-lit-cell';
const GONE_ABOVE = 'jp-Cabinet-lit-cell-gone-above';
const GONE_BELOW = 'jp-Cabinet-lit-cell-gone-below';

/** `null` for a view that is no notebook. */
export function changedNotebookOf(widget: Widget, redraw: () => void): IChangedView | null {
  const content = (widget as Widget & { content?: Partial<Notebook> }).content;
  return content && 'activeCellIndex' in content
    ? new ChangedNotebook(widget, content as Notebook, redraw)
    : null;
}

class ChangedNotebook implements IChangedView {
  constructor(
    private readonly _widget: Widget,
    private readonly _notebook: Notebook,
    redraw: () => void
  ) {
    // A cell that the run has added is there when the notebook has been read again, its editor when it comes into view.
    _notebook.modelContentChanged.connect(redraw);
    _notebook.cellInViewportChanged.connect(redraw);
  }

  mark(places: readonly IChangedPlace[], onEdited: (place: IChangedPlace) => void): void {
    const changed = places.filter(({ isDeleted }) => !isDeleted);
    const deleted = places.filter(({ isDeleted }) => isDeleted);
    const ofCell = new Map(changed.map(place => [this._cellOf(place)?.model.id, place]));
    const below = new Set(
      deleted.filter(({ cell }) => cell !== '').map(each => this._cellOf(each))
    );
    const isFirstDeleted = deleted.some(({ cell }) => cell === '');
    this._notebook.widgets.forEach((cell, index) => {
      const { classList } = cell.node;
      classList.toggle(LIT, ofCell.has(cell.model.id));
      classList.toggle(GONE_ABOVE, isFirstDeleted && index === 0);
      classList.toggle(GONE_BELOW, below.has(cell));
    });
    for (const { cell, view } of editorsOf(this._widget)) {
      const place = ofCell.get(cell);
      markPlaces(view, place ? [place] : [], onEdited);
    }
  }

  has(place: IChangedPlace): boolean {
    const source = this._cellOf(place)?.model.sharedModel.getSource();
    const lines = new Set(source?.split('\n'));
    return source !== undefined && place.lines.every(({ text }) => lines.has(text));
  }

  reveal(place: IChangedPlace, { select }: { select: boolean }): void {
    void this._reveal(place, select);
  }

  private async _reveal(place: IChangedPlace, select: boolean): Promise<void> {
    const cell = this._cellOf(place);
    if (!cell) {
      return;
    }
    const index = this._notebook.widgets.indexOf(cell);
    if (select) {
      this._notebook.deselectAll();
      this._notebook.activeCellIndex = index;
    }
    await this._notebook.scrollToItem(index, 'smart');
    if (cell.isDisposed) {
      return;
    }
    const view = editorsOf(this._widget).find(each => each.cell === cell.model.id)?.view;
    const position = view ? positionOf(view, place) : null;
    if (view && position !== null && select) {
      view.dispatch({ selection: { anchor: position } });
    }
    const line = cell.node.querySelector<HTMLElement>('.cm-line.jp-Cabinet-lit');
    scrollToElement(line ?? cell.node, this._notebook.node);
  }

  private _cellOf(place: IChangedPlace): Cell | null {
    const { widgets } = this._notebook;
    const ids = widgets.map(({ model }) => model.id);
    return widgets[cellIndexOf(place, ids)] ?? null;
  }
}
