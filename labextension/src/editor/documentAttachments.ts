/**
 * Pieces of the current document that a person can add to a prompt: active cell, selection, last error.
 */
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { FileEditor } from '@jupyterlab/fileeditor';
import type * as nbformat from '@jupyterlab/nbformat';
import type { INotebookTracker, Notebook } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Debouncer } from '@lumino/polling';
import { Signal, type ISignal } from '@lumino/signaling';

import type { Attachment } from '../api/types';
import type { IAttachmentSource } from './views/services';
import { visible } from '../shared/untrusted';
import type { CurrentDocument } from './currentDocument';

/** Characters of one piece; the server has its own limit on the whole prompt. */
const LONGEST_ATTACHMENT = 100_000;
const LOOK_AGAIN_MS = 150;

/** `changed` tells, a moment after the selection has settled, that something else is offered. */
export class DocumentAttachments implements IAttachmentSource {
  constructor(
    private readonly _current: CurrentDocument,
    notebooks: INotebookTracker | null,
    private readonly _trans: TranslationBundle
  ) {
    const look = () => void this._later.invoke();
    _current.changed.connect(look);
    notebooks?.activeCellChanged.connect(look);
    notebooks?.selectionChanged.connect(look);
    document.addEventListener('selectionchange', look);
  }

  readonly changed: ISignal<this, void> = new Signal<this, void>(this);

  offered(): Attachment[] {
    const content = (this._current.widget as { content?: unknown } | null)?.content;
    if (isNotebook(content)) {
      return this._ofNotebook(content);
    }
    const editor = (content as Partial<FileEditor> | undefined)?.editor;
    return editor ? this._selection(editor) : [];
  }

  private _ofNotebook(notebook: Notebook): Attachment[] {
    const { activeCell } = notebook;
    const found: Attachment[] = [];
    if (activeCell) {
      const text = activeCell.model.sharedModel.getSource();
      const title = this._cellTitle(notebook, notebook.activeCellIndex);
      if (text.trim()) {
        found.push({
          kind: 'cell',
          title,
          text: text.slice(0, LONGEST_ATTACHMENT)
        });
      }
      if (activeCell.editor) {
        found.push(...this._selection(activeCell.editor));
      }
    }
    return [...found, ...this._lastError(notebook)];
  }

  private _cellTitle(notebook: Notebook, index: number): string {
    const shared = notebook.widgets[index].model.sharedModel.toJSON() as nbformat.ICell;
    const count = shared.execution_count as number | null | undefined;
    return count ? this._trans.__('Cell [%1]', count) : this._trans.__('Cell %1', index + 1);
  }

  private _selection(editor: CodeEditor.IEditor): Attachment[] {
    const { start, end } = editor.getSelection();
    const [from, to] = [editor.getOffsetAt(start), editor.getOffsetAt(end)].sort((a, b) => a - b);
    const text = editor.model.sharedModel.getSource().slice(from, to);
    if (!text.trim()) {
      return [];
    }
    const lines = text.trimEnd().split('\n').length;
    const title = this._trans._n('Selection, %1 line', 'Selection, %1 lines', lines);
    return [{ kind: 'selection', title, text: text.slice(0, LONGEST_ATTACHMENT) }];
  }

  /** The error of the cell that ran last. */
  private _lastError(notebook: Notebook): Attachment[] {
    const failed = notebook.widgets
      .filter(cell => cell.model.type === 'code')
      .map(cell => cell.model.sharedModel.toJSON() as nbformat.ICodeCell)
      .map(cell => ({
        cell,
        error: cell.outputs.find(o => o.output_type === 'error')
      }))
      .filter(found => found.error !== undefined)
      .sort((a, b) => (a.cell.execution_count ?? 0) - (b.cell.execution_count ?? 0))
      .pop();
    if (!failed) {
      return [];
    }
    const error = failed.error as nbformat.IError;
    const trace = error.traceback.join('\n').replace(/\x1b\[[\d;]*m/g, '');
    const text = `${error.ename}: ${error.evalue}\n${trace}`;
    const title = visible(this._trans.__('Last error: %1', error.ename));
    return [{ kind: 'error', title, text: text.slice(0, LONGEST_ATTACHMENT) }];
  }

  private _look(): void {
    const now = JSON.stringify(this.offered());
    if (now !== this._last) {
      this._last = now;
      (this.changed as Signal<this, void>).emit();
    }
  }

  private readonly _later = new Debouncer(() => this._look(), LOOK_AGAIN_MS);
  private _last = '';
}

function isNotebook(content: unknown): content is Notebook {
  return content !== null && typeof content === 'object' && 'activeCellIndex' in content;
}
