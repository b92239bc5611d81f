/**
 * The lines that a run has changed, marked in one editor. The marks move with the text; the mark of a place goes when
 * a person edits its lines.
 */
import {
  type EditorState,
  type Extension,
  type Range,
  StateField,
  type Text,
  type Transaction
} from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';

import { type IChangedPlace, standsIn } from '../stores/changedPlaces';
import { ExchangedExtension } from './editors';

import '../../../style/proposals.css';

const LIT = Decoration.line({ class: 'jp-Cabinet-lit' });
const GONE = Decoration.line({ class: 'jp-Cabinet-lit-gone' });
const GONE_BELOW = Decoration.line({ class: 'jp-Cabinet-lit-gone-below' });
/** Transactions of people; what comes from the file or from a colleague has none of them. */
const EDITS = ['input', 'delete', 'move', 'undo', 'redo'];

/** Where each place begins in the text. A place without a position is not in the text, or not yet. */
type Positions = ReadonlyMap<IChangedPlace, number>;

interface IMarks {
  positions: Positions;
  edited: ReadonlySet<IChangedPlace>;
  marks: DecorationSet;
}

const extension = new ExchangedExtension();
const known = new WeakMap<
  EditorView,
  { places: readonly IChangedPlace[]; field: StateField<IMarks> | null }
>();

/** Mark these places in an editor, and no others. `onEdited`: a person has edited the lines of a place. */
export function markPlaces(
  view: EditorView,
  places: readonly IChangedPlace[],
  onEdited: (place: IChangedPlace) => void
): void {
  const before = known.get(view)?.places ?? [];
  if (before.length !== places.length || before.some((place, at) => place !== places[at])) {
    const field = places.length ? marksField(places, positionsIn(view)) : null;
    known.set(view, { places, field });
    extension.set(view, field ? [field, reportEdits(field, onEdited)] : []);
  }
}

/** The position at which a place begins now; `null` if the editor does not show it. */
export function positionOf(view: EditorView, place: IChangedPlace): number | null {
  return positionsIn(view).get(place) ?? null;
}

function positionsIn(view: EditorView): Positions {
  const field = known.get(view)?.field;
  return (field && view.state.field(field, false)?.positions) ?? new Map();
}

/** `moved`: where some of the places are already, because the text has moved since the run. */
function marksField(places: readonly IChangedPlace[], moved: Positions): StateField<IMarks> {
  return StateField.define<IMarks>({
    create: state => marksIn(state, places, moved, new Set()),
    update: (value, transaction) => {
      if (!transaction.docChanged) {
        return value;
      }
      const { changes, state } = transaction;
      const edited = new Set([...value.edited, ...editedPlaces(value.positions, transaction)]);
      const moved = new Map(
        [...value.positions].map(([place, position]) => [place, changes.mapPos(position, 1)])
      );
      return marksIn(state, places, moved, edited);
    },
    provide: field => EditorView.decorations.from(field, ({ marks }) => marks)
  });
}

function editedPlaces(positions: Positions, transaction: Transaction): IChangedPlace[] {
  if (!EDITS.some(event => transaction.isUserEvent(event))) {
    return [];
  }
  const { changes, startState } = transaction;
  return [...positions]
    .filter(
      ([place, position]) =>
        isWholeCell(place) ||
        linesOf(startState.doc, place, position).some(({ from, to }) =>
          changes.touchesRange(from, to)
        )
    )
    .map(([place]) => place);
}

function reportEdits(
  field: StateField<IMarks>,
  onEdited: (place: IChangedPlace) => void
): Extension {
  return EditorView.updateListener.of(({ startState, state }) => {
    const before = startState.field(field, false)?.edited;
    const now = state.field(field, false)?.edited ?? [];
    for (const place of before ? now : []) {
      if (!before?.has(place)) {
        void Promise.resolve(place).then(onEdited); // an update must not start another one
      }
    }
  });
}

/** Places stay where they have moved to while their lines are there; else they are where the run has put them. */
function marksIn(
  { doc }: EditorState,
  places: readonly IChangedPlace[],
  moved: Positions,
  edited: ReadonlySet<IChangedPlace>
): IMarks {
  const lineAt = (number: number) =>
    number >= 1 && number <= doc.lines ? doc.line(number).text : null;
  const positions = new Map<IChangedPlace, number>();
  for (const place of places.filter(each => !edited.has(each))) {
    const position = moved.get(place);
    const number = position === undefined ? place.first : doc.lineAt(position).number;
    const shift = [number - place.first, 0].find(each => standsIn(place, lineAt, each));
    if (shift !== undefined) {
      positions.set(place, doc.line(Math.min(place.first + shift, doc.lines)).from);
    }
  }
  const marks = [...positions].flatMap(([place, position]) => drawn(doc, place, position));
  return { positions, edited, marks: Decoration.set(marks, true) };
}

/** Of its source no lines are marked: only its outputs have changed, or lines of it were removed. */
function isWholeCell({ cell, lines }: IChangedPlace): boolean {
  return cell !== '' && lines.length === 0;
}

function linesOf(doc: Text, { first, lines }: IChangedPlace, position: number) {
  const number = doc.lineAt(position).number;
  const numbers = lines.length ? lines.map(line => line.number - first + number) : [number];
  return numbers.filter(each => each <= doc.lines).map(each => doc.line(each));
}

function drawn(doc: Text, place: IChangedPlace, position: number): Range<Decoration>[] {
  const isBelow =
    place.first > doc.lineAt(position).number && position === doc.line(doc.lines).from;
  const mark = place.lines.length ? LIT : isBelow ? GONE_BELOW : GONE;
  return isWholeCell(place)
    ? []
    : linesOf(doc, place, position).map(({ from }) => mark.range(from));
}
