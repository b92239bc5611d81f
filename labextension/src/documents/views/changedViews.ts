/**
 * One view of a document as what shows changes: a text editor, a notebook or a preview.
 */
import type { Widget } from '@lumino/widgets';

import type { IChangedPlace } from '../stores/changedPlaces';
import { changedNotebookOf } from './changedNotebook';
import { changedPreviewOf } from './changedPreview';
import { ChangedText } from './changedText';

export interface IChangedView {
  /** Mark these places, and no others. `onEdited`: a person has edited near a place. */
  mark(places: readonly IChangedPlace[], onEdited: (place: IChangedPlace) => void): void;
  /** Whether the place is in the view, also if one has to scroll to see it. */
  has(place: IChangedPlace): boolean;
  /** Scroll to a place unless it is visible. `select`: the cursor goes there, too. */
  reveal(place: IChangedPlace, options: { select: boolean }): void;
}

/** `redraw` is called when the view shows something else, which has to be marked again. */
export function changedViewOf(widget: Widget, redraw: () => void): IChangedView {
  return (
    changedNotebookOf(widget, redraw) ?? changedPreviewOf(widget, redraw) ?? new ChangedText(widget)
  );
}
