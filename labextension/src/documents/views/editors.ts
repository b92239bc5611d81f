/**
 * The CodeMirror editors in the view of a document.
 */
import { Compartment, type Extension, StateEffect } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { Notebook } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

/** One editor; `cell` is the id of its cell, empty for a text file. */
export interface IShownEditor {
  view: EditorView;
  cell: string;
}

interface IContent {
  editor?: CodeMirrorEditor;
  widgets?: Notebook['widgets'];
}

/** Those that are drawn; JupyterLab draws the cells of a long notebook when they come into view. */
export function editorsOf(widget: Widget): IShownEditor[] {
  const content = (widget as Widget & { content?: IContent }).content;
  const of = (editor: unknown, cell: string): IShownEditor[] =>
    isCodeMirror(editor) ? [{ view: editor.editor, cell }] : [];
  return [
    ...of(content?.editor, ''),
    ...(content?.widgets ?? []).flatMap(cell => of(cell.editor, cell.model?.id ?? ''))
  ];
}

function isCodeMirror(editor: unknown): editor is CodeMirrorEditor {
  return typeof editor === 'object' && editor !== null && 'injectExtension' in editor;
}

/** An extension of an editor that can be exchanged. JupyterLab only adds extensions. */
export class ExchangedExtension {
  set(view: EditorView, extension: Extension): void {
    const known = this._compartments.get(view);
    if (known) {
      view.dispatch({ effects: known.reconfigure(extension) });
    } else if (!isNothing(extension)) {
      const compartment = new Compartment();
      this._compartments.set(view, compartment);
      view.dispatch({ effects: StateEffect.appendConfig.of(compartment.of(extension)) });
    }
  }

  private readonly _compartments = new WeakMap<EditorView, Compartment>();
}

function isNothing(extension: Extension): boolean {
  return Array.isArray(extension) && extension.length === 0;
}
