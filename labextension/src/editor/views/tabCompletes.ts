/**
 * Tab in the composer: it inserts the suggested mention, or moves to the next control if nothing is suggested.
 *
 * If Tab is pressed before the suggestions have arrived, the first one is inserted when they do. Otherwise the key would
 * have no effect or move the focus, depending on the speed of the server.
 */
import { acceptCompletion, completionStatus } from '@codemirror/autocomplete';
import type { EditorState, Extension } from '@codemirror/state';
import { Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';

import { mentionAt } from './mentions';

/** The key binding, and the listener that waits for late suggestions. */
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

/** Whether suggestions for a mention at the cursor have been requested and have not arrived. */
function isExpected(state: EditorState): boolean {
  if (completionStatus(state) !== 'pending') {
    return false;
  }
  const { head } = state.selection.main;
  return mentionAt(state.sliceDoc(state.doc.lineAt(head).from, head)) !== null;
}
