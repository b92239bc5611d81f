/**
 * Proposals in the preview of a Markdown file: blocks that would change are marked, and below them stands the question
 * with its answers.
 */
import type { MarkdownViewer } from '@jupyterlab/markdownviewer';

import type { IApprovalServices } from '../../approvals';
import { renderedProposal } from '../stores/renderedPlaces';
import { renderedBlocks } from './markdownPreview';
import { type IProposal, type IProposalHost, proposalHost } from './proposalHost';
import { scrollToElement } from './scrollToElement';

const GOES = 'jp-Cabinet-proposed-gone';
const drawn = new WeakMap<MarkdownViewer, ProposalsInPreview>();

/** Draw these proposals and no others. `mayScroll`: whether the preview may scroll to a proposal that is new. */
export function drawInPreview(
  viewer: MarkdownViewer,
  proposals: readonly IProposal[],
  services: IApprovalServices,
  mayScroll: (proposal: IProposal) => boolean
): void {
  if (proposals.length > 0 && !drawn.has(viewer)) {
    drawn.set(viewer, new ProposalsInPreview(viewer));
  }
  drawn.get(viewer)?.draw(proposals, services, mayScroll);
}

class ProposalsInPreview {
  constructor(private readonly _viewer: MarkdownViewer) {
    const { node } = _viewer;
    _viewer.rendered.connect(() => this._place()); // rendering removes everything that was put into it
    _viewer.disposed.connect(() => this._hosts.forEach(({ dispose }) => dispose()));
    node.addEventListener('focusin', ({ target }) => {
      this._focused = target as HTMLElement;
    });
    node.addEventListener('focusout', ({ target }) =>
      queueMicrotask(() => {
        const { _focused: last } = this;
        if (target === last && last?.isConnected && document.activeElement !== last) {
          this._focused = null; // a person has left it
        }
      })
    );
  }

  draw(
    proposals: readonly IProposal[],
    services: IApprovalServices,
    mayScroll: (proposal: IProposal) => boolean
  ): void {
    const wanted = new Map(proposals.map(each => [`${each.approval.id}/${each.index}`, each]));
    const added = [...wanted].filter(([key]) => !this._hosts.has(key));
    const gone = [...this._hosts.keys()].filter(key => !wanted.has(key));
    this._proposals = wanted;
    gone.forEach(key => this._remove(key));
    for (const [key, proposal] of added) {
      const onResize = () => this._reveal(key);
      this._hosts.set(key, proposalHost(proposal, services, onResize));
    }
    this._toReveal = added.find(([, proposal]) => mayScroll(proposal))?.[0] ?? this._toReveal;
    if (added.length + gone.length > 0) {
      this._place();
    }
  }

  /** Put each question below its block, and mark the blocks. */
  private _place(): void {
    const { context, renderer } = this._viewer;
    renderer.node.querySelectorAll(`.${GOES}`).forEach(each => each.classList.remove(GOES));
    const blocks = this._proposals.size > 0 ? renderedBlocks(this._viewer) : [];
    const texts = blocks.map(({ text }) => text);
    const source = context.model.toString();
    const last = this._focused;
    // The last one first, so that those below the same block stay in their order.
    for (const [key, { approval, index }] of [...this._proposals].reverse()) {
      const { after, goes } = renderedProposal(source, approval.edits[index], texts);
      goes.forEach(block => blocks[block].node.classList.add(GOES));
      const { host } = this._hosts.get(key)!;
      if (after === null) {
        renderer.node.prepend(host);
      } else {
        putBelow(blocks[after].node, host);
      }
    }
    if (last?.isConnected && document.activeElement === document.body) {
      last.focus({ preventScroll: true }); // it has lost the focus because it was moved
    }
  }

  /** Scroll to a question once, when it has its height. */
  private _reveal(key: string): void {
    const { node } = this._viewer;
    const { host } = this._hosts.get(key) ?? {};
    if (key === this._toReveal && host && host.offsetHeight > 0) {
      this._toReveal = null;
      scrollToElement(host, node);
    }
  }

  /** The focus of a question that is removed goes to the preview. */
  private _remove(key: string): void {
    const { dispose, host } = this._hosts.get(key)!;
    const hasFocus = host.contains(document.activeElement);
    host.remove();
    dispose();
    this._hosts.delete(key);
    if (hasFocus) {
      this._viewer.node.focus({ preventScroll: true });
    }
  }

  private _proposals: ReadonlyMap<string, IProposal> = new Map();
  private readonly _hosts = new Map<string, IProposalHost>();
  /** What had the focus last, unless a person has left it. */
  private _focused: HTMLElement | null = null;
  /** The question to scroll to. */
  private _toReveal: string | null = null;
}

/** Where HTML allows it: not between the rows of a table, and in an item before the list that it holds. */
function putBelow(block: HTMLElement, host: HTMLElement): void {
  if (block.matches('tr')) {
    block.closest('table')!.after(host);
  } else if (block.matches('li, dt, dd')) {
    block.insertBefore(host, block.querySelector(':scope > :is(ul, ol)'));
  } else {
    block.after(host);
  }
}
