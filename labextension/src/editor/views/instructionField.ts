/**
 * The composer's text field: JupyterLab's CodeMirror with our keys and completion. No React.
 */
import { autocompletion, completionStatus } from '@codemirror/autocomplete';
import { Compartment, EditorState, Prec, type Extension } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { CodeEditor, type IEditorServices } from '@jupyterlab/codeeditor';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { IDisposable } from '@lumino/disposable';

import { mentionCompletions, type IMentionSource } from './mentions';
import { tabCompletes } from './tabCompletes';

/** Callbacks of the field. */
export interface IInstructionFieldOptions {
  host: HTMLElement;
  services: IEditorServices;
  label: string;
  mentions: IMentionSource;
  onChange: (text: string) => void;
  onRun: () => void;
  onLeave: () => void;
  /** The instruction to bring back into the empty field, going back by `steps`; null: no more. */
  recall: (steps: number) => string | null;
}

/** A CodeMirror editor of a few lines; `text` is its content. */
export class InstructionField implements IDisposable {
  constructor(private readonly _options: IInstructionFieldOptions) {
    this._model = new CodeEditor.Model({ mimeType: 'text/plain' });
    this._editor = _options.services.factoryService.newInlineEditor({
      host: _options.host,
      model: this._model,
      config: {
        lineNumbers: false,
        lineWrap: true,
        codeFolding: false,
        matchBrackets: false
      },
      extensions: this._extensions()
    }) as CodeMirrorEditor;
    this._model.sharedModel.changed.connect(this._onChanged, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  get text(): string {
    return this._model.sharedModel.getSource();
  }

  /** Take a text that was not typed here; the cursor goes to its end. */
  set text(value: string) {
    if (value !== this.text) {
      this._model.sharedModel.setSource(value);
      this._view.dispatch({
        selection: { anchor: this._view.state.doc.length }
      });
    }
  }

  focus(): void {
    this._editor.focus();
  }

  setPlaceholder(text: string): void {
    this._view.dispatch({
      effects: this._placeholder.reconfigure(placeholder(text))
    });
  }

  setReadOnly(readOnly: boolean): void {
    this._view.dispatch({
      effects: this._readOnly.reconfigure(EditorState.readOnly.of(readOnly))
    });
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._editor.dispose();
    this._model.dispose();
  }

  private get _view(): EditorView {
    return this._editor.editor;
  }

  private _extensions(): Extension[] {
    const { label, mentions, onRun, onLeave } = this._options;
    return [
      this._placeholder.of([]),
      this._readOnly.of([]),
      EditorView.contentAttributes.of({ 'aria-label': label }),
      autocompletion({
        override: [mentionCompletions(mentions)],
        icons: false,
        tooltipClass: () => 'jp-Cabinet-completion',
        aboveCursor: true,
        interactionDelay: 0 // it opens on `@` only: a quick Tab means it
      }),
      tabCompletes(),
      Prec.highest(
        keymap.of([
          {
            key: 'Shift-Enter',
            run: () => {
              onRun();
              return true;
            }
          },
          {
            key: 'Escape',
            run: view => {
              if (completionStatus(view.state) !== null) {
                return false; // closes the completion
              }
              onLeave();
              return true;
            }
          },
          { key: 'ArrowUp', run: view => this._recall(view) }
        ])
      )
    ];
  }

  /** Arrow up in an empty field, or in one that holds what was just recalled. */
  private _recall(view: EditorView): boolean {
    if (completionStatus(view.state) !== null || (this.text && this.text !== this._recalled)) {
      return false;
    }
    const text = this._options.recall(this.text ? this._steps + 1 : 0);
    if (text === null) {
      return false;
    }
    this._steps = this.text ? this._steps + 1 : 0;
    this._recalled = text;
    this.text = text;
    return true;
  }

  private _onChanged(): void {
    this._options.onChange(this.text);
  }

  private readonly _model: CodeEditor.Model;
  private readonly _editor: CodeMirrorEditor;
  private readonly _placeholder = new Compartment();
  private readonly _readOnly = new Compartment();
  private _recalled: string | null = null;
  private _steps = 0;
  private _isDisposed = false;
}
