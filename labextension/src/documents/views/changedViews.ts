/**
 * Marks the changes of a run in one view of a document, and scrolls to them.
 */
import type { Widget } from '@lumino/widgets';
import { EditorView } from '@codemirror/view';

import type { IChangedPlace } from '../stores/changedPlaces';
import { markPlaces, positionOf } from './changedLineMarks';
import { editorsOf } from './editors';

/** One view of a document: a text editor, a notebook or a preview. */
export interface IChangedView {
  /** Mark these places, and no others. `onEdited`: a person has edited near a place. */
  mark(places: readonly IChangedPlace[], onEdited: (place: IChangedPlace) => void): void;
  /** Whether the place is in the view, also if one has to scroll to see it. */
  has(place: IChangedPlace): boolean;
  /** Scroll to a place unless it is visible. `select`: the cursor goes there, too. */
  reveal(place: IChangedPlace, options: { select: boolean }): void;
}

export function changedViewOf(widget: Widget): IChangedView {
  return new ChangedText(widget);
}

class ChangedText implements IChangedView {
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
