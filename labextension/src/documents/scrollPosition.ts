/**
 * The scroll position of a document, to be restored after its content was replaced.
 */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ArrayExt } from '@lumino/algorithm';
import type { Widget } from '@lumino/widgets';

/** A notebook's active cell by its id, and where it stood in the window. Text editors keep theirs. */
export function scrollPositionOf(widget: Widget): () => void {
  const content = (widget as NotebookPanel).content;
  if (!isNotebook(content) || !content.activeCell) {
    return () => undefined;
  }
  const { activeCell, mode } = content;
  const id = activeCell.model.id;
  const top = activeCell.node.getBoundingClientRect().top;
  return () => {
    const index = ArrayExt.findFirstIndex(content.widgets, cell => cell.model.id === id);
    if (index === -1 || content.isDisposed) {
      return;
    }
    if (content.activeCellIndex !== index) {
      content.activeCellIndex = index;
      content.mode = mode;
    }
    const scroller = scrollerOf(content.node);
    const cell = content.widgets[index];
    requestAnimationFrame(() => {
      if (scroller && cell.node.isConnected) {
        scroller.scrollTop += cell.node.getBoundingClientRect().top - top;
      }
    });
  };
}

function isNotebook(content: unknown): content is NotebookPanel['content'] {
  return content !== null && typeof content === 'object' && 'activeCellIndex' in content;
}

function scrollerOf(node: HTMLElement): HTMLElement | null {
  return node.querySelector<HTMLElement>('.jp-WindowedPanel-outer') ?? node;
}
