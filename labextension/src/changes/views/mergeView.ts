/**
 * The lines of one change, old and new, in CodeMirror: one below the other, or beside each other. No React.
 */
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { Decoration, EditorView, highlightSpecialChars, lineNumbers } from '@codemirror/view';
import { jupyterTheme } from '@jupyterlab/codemirror';
import type { IDisposable } from '@lumino/disposable';

/** Every line has its end, as `endedSidesOf` gives them. */
export interface IMergeText {
  old: string;
  new: string;
  /** Number of the first line. */
  oldStart: number;
  newStart: number;
}

/** What words changed in lines is looked for so far; longer ones are marked as a whole. */
const DIFF = { scanLimit: 500, timeout: 200 };

/** The empty line behind the last line break is none of the text’s: it is not drawn. */
function withoutLastBreak(doc: string): Extension {
  return doc === ''
    ? []
    : EditorView.decorations.of(
        Decoration.set(Decoration.replace({}).range(doc.length - 1, doc.length))
      );
}

/** Draw into `host`, read-only, until it is disposed of. */
export function drawMerge(
  host: HTMLElement,
  text: IMergeText,
  options: { sideBySide: boolean; language: Extension; oldLabel: string; newLabel: string }
): IDisposable {
  const { language, newLabel, oldLabel, sideBySide } = options;
  const side = (doc: string, start: number, label: string): Extension[] => [
    withoutLastBreak(doc),
    jupyterTheme,
    lineNumbers({ formatNumber: number => String(number + start - 1) }),
    highlightSpecialChars(),
    EditorView.lineWrapping,
    EditorView.editable.of(false),
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '-1' }),
    language
  ];
  const view = sideBySide
    ? new MergeView({
        a: { doc: text.old, extensions: side(text.old, text.oldStart, oldLabel) },
        b: { doc: text.new, extensions: side(text.new, text.newStart, newLabel) },
        parent: host,
        gutter: false,
        diffConfig: DIFF
      })
    : new EditorView({
        doc: text.new,
        extensions: [
          ...side(text.new, text.newStart, newLabel),
          unifiedMergeView({
            original: text.old,
            mergeControls: false,
            gutter: false,
            diffConfig: DIFF
          })
        ],
        parent: host
      });
  let isDisposed = false;
  return {
    get isDisposed(): boolean {
      return isDisposed;
    },
    dispose: () => {
      isDisposed = true;
      view.destroy();
    }
  };
}
