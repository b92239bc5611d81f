/**
 * The blocks of a rendered Markdown preview, in the order of its text.
 */
import type { MarkdownViewer } from '@jupyterlab/markdownviewer';
import type { Widget } from '@lumino/widgets';

/** The class of what is drawn between the blocks and does not belong to the text. */
export const PROPOSAL_HOST = 'jp-Cabinet-proposal-host';
const BLOCKS = 'h1, h2, h3, h4, h5, h6, p, li, pre, tr, blockquote, dt, dd';

export interface IRenderedBlock {
  node: HTMLElement;
  text: string;
}

/** `null` for a view that is no preview. */
export function previewOf(widget: Widget): MarkdownViewer | null {
  const content = (widget as Widget & { content?: Partial<MarkdownViewer> & Widget }).content;
  return content && 'rendered' in content && 'renderer' in content
    ? (content as MarkdownViewer)
    : null;
}

/** Those that have text. */
export function renderedBlocks({ renderer }: MarkdownViewer): IRenderedBlock[] {
  return [...renderer.node.querySelectorAll<HTMLElement>(BLOCKS)]
    .filter(node => node.closest(`.${PROPOSAL_HOST}`) === null)
    .map(node => ({ node, text: ownText(node) }))
    .filter(({ text }) => text.trim());
}

/** The text of a block without that of blocks in it: an item of a list may hold another list. */
function ownText(node: Node): string {
  return [...node.childNodes]
    .map(child => {
      if (child instanceof Element) {
        return child.matches(`${BLOCKS}, .${PROPOSAL_HOST}`) ? '' : ownText(child);
      }
      return child.textContent ?? '';
    })
    .join('');
}
