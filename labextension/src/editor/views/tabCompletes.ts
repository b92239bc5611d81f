/**
 * Tab in the composer: it takes the suggested mention, else it goes to the next control.
 *
 * A quick Tab while the suggestions are on their way takes the first one as soon as they are there. Without that the
 * key would have no effect, or move the focus, depending on the server's speed.
 */
import { acceptCompletion, completionStatus } from '@codemirror/autocomplete';
import type { EditorState, Extension } from '@codemirror/state';
import { Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';

import { mentionAt } from './mentions';

/** The key, and what goes with it. */
export function tabCompletes(): Extension {
  let isWanted = false; // Tab was pressed before the suggestions were there
  return [
    Prec.highest(
      keymap.of([
        {
          key: 'Tab',
          run: view => {
            const isTaken = acceptCompletion(view);
            isWanted = !isTaken && isExpected(view.state);
            return isTaken || isWanted;
          }
        }
      ])
    ),
    EditorView.updateListener.of(({ state, view, docChanged, selectionSet, focusChanged }) => {
      const expected = isExpected(state);
      view.setTabFocusMode(completionStatus(state) !== 'active' && !expected);
      isWanted &&= !docChanged && !selectionSet && !focusChanged;
      const isReady = isWanted && !expected;
      isWanted &&= expected;
      if (isReady) {
        setTimeout(() => acceptCompletion(view)); // not while the view is being updated
      }
    })
  ];
}

/** Whether suggestions for a mention at the cursor are on their way. */
function isExpected(state: EditorState): boolean {
  if (completionStatus(state) !== 'pending') {
    return false;
  }
  const { head } = state.selection.main;
  return mentionAt(state.sliceDoc(state.doc.lineAt(head).from, head)) !== null;
}
