/**
 * The changes of a run in a text editor.
 */
import { EditorView } from '@codemirror/view';
import type { Widget } from '@lumino/widgets';

import type { IChangedPlace } from '../stores/changedPlaces';
import { markPlaces, positionOf } from './changedLineMarks';
import type { IChangedView } from './changedViews';
import { editorsOf } from './editors';

export class ChangedText implements IChangedView {
  constructor(private readonly _widget: Widget) {}

  mark(places: readonly IChangedPlace[], onEdited: (place: IChangedPlace) => void): void {
    editorsOf(this._widget).forEach(({ view }) => markPlaces(view, places, onEdited));
  }

  has(place: IChangedPlace): boolean {
    return editorsOf(this._widget).some(({ view }) => positionOf(view, place) !== null);
  }

  reveal(place: IChangedPlace, { select }: { select: boolean }): void {
    for (const { view } of editorsOf(this._widget)) {
      const position = positionOf(view, place);
      if (position !== null) {
        view.dispatch({
          ...(select ? { selection: { anchor: position } } : {}),
          effects: isVisible(view, position)
            ? []
            : EditorView.scrollIntoView(position, { y: 'center' })
        });
      }
    }
  }
}

function isVisible(view: EditorView, position: number): boolean {
  const place = view.coordsAtPos(position);
  const window = view.scrollDOM.getBoundingClientRect();
  return place !== null && place.top >= window.top && place.bottom <= window.bottom;
}
