/**
 * The lines that a run has changed, lit in the editors of a document until somebody edits or clicks there.
 */
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { Widget } from '@lumino/widgets';

import type { IChangedLine } from '../stores/changedLines';
import { editorsOf, ExchangedExtension } from './editors';

import '../../../style/proposals.css';

const LIT = Decoration.line({ class: 'jp-Cabinet-lit' });
const OFF = StateEffect.define<null>();
/** Transactions of people; what comes from the file or from a colleague has none of them. */
const EDITS = ['input', 'delete', 'move', 'undo', 'redo'];

const extension = new ExchangedExtension();
const known = new WeakMap<EditorView, IChangedLine[]>();

/** Light these lines in one view of a document, and no others. What somebody has put out stays so. */
export function lightLines(widget: Widget, lines: IChangedLine[]): void {
  for (const { cell, view } of editorsOf(widget)) {
    if (known.get(view) !== lines) {
      known.set(view, lines);
      const here = lines.filter(line => line.cell === cell);
      extension.set(view, here.length ? litLines(here) : []);
    }
  }
}

/** A line is lit where it stands as the run has written it: the file may be read into the editor later. */
function litLines(lines: IChangedLine[]): Extension {
  const draw = ({ doc }: EditorState): DecorationSet =>
    Decoration.set(
      lines
        .filter(({ number, text }) => number <= doc.lines && doc.line(number).text === text)
        .map(({ number }) => LIT.range(doc.line(number).from)),
      true
    );
  const field = StateField.define<{ marks: DecorationSet; isOff: boolean }>({
    create: state => ({ marks: draw(state), isOff: false }),
    update: (value, transaction) => {
      const isOver =
        transaction.effects.some(effect => effect.is(OFF)) ||
        EDITS.some(event => transaction.isUserEvent(event));
      if (value.isOff || isOver) {
        return { marks: Decoration.none, isOff: true };
      }
      return transaction.docChanged ? { marks: draw(transaction.state), isOff: false } : value;
    },
    provide: field => EditorView.decorations.from(field, ({ marks }) => marks)
  });
  const onClick = EditorView.domEventHandlers({
    mousedown: (_, view) => {
      view.dispatch({ effects: OFF.of(null) });
      return false;
    }
  });
  return [field, onClick];
}
