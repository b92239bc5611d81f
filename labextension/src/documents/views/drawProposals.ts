/**
 * Puts the proposals for a document into one view of it, and takes away those that are over.
 */
import type { EditorView } from '@codemirror/view';
import type { Widget } from '@lumino/widgets';

import type { Approval } from '../../api/types';
import type { IApprovalServices } from '../../approvals';
import { editorsOf, ExchangedExtension } from './editors';
import { previewOf } from './markdownPreview';
import type { IProposal } from './proposalHost';
import { proposalMarks } from './proposalMarks';
import { drawInPreview } from './proposalsInPreview';

const PROPOSAL_HOST = '.jp-Cabinet-proposal-host';
const extension = new ExchangedExtension();
/** What is drawn in an editor, as one text: nothing is redrawn without need. */
const known = new WeakMap<EditorView, string>();

export interface IDrawOptions {
  services: IApprovalServices;
  /** Whether a view of the document may scroll to a new question by itself. */
  mayScroll: (approval: Approval) => boolean;
}

export function drawProposals(
  widget: Widget,
  approvals: Approval[],
  path: string,
  { mayScroll, services }: IDrawOptions
): void {
  const preview = previewOf(widget);
  if (preview) {
    const proposals = approvals.flatMap(approval => proposalsFor(approval, path, ''));
    const mayReveal = ({ approval }: IProposal) => widget.isVisible && mayScroll(approval);
    drawInPreview(preview, proposals, services, mayReveal);
  }
  for (const { cell, view } of editorsOf(widget)) {
    const proposals = approvals.flatMap(approval => proposalsFor(approval, path, cell));
    const key = proposals.map(({ approval, index }) => `${approval.id}/${index}`).join(' ');
    if (key !== (known.get(view) ?? '')) {
      known.set(view, key);
      keepFocus(view, () =>
        extension.set(view, proposals.length ? proposalMarks(proposals, services) : [])
      );
    }
  }
}

/** The focus of a proposal that is removed goes to the place in the text that it was about. */
function keepFocus(view: EditorView, draw: () => void): void {
  const { activeElement } = document;
  const host = view.dom.contains(activeElement) && activeElement?.closest(PROPOSAL_HOST);
  const position = host ? view.posAtDOM(host) : null;
  draw();
  if (position !== null && !view.dom.contains(document.activeElement)) {
    view.dispatch({ selection: { anchor: position } });
    view.focus();
  }
}

function proposalsFor(approval: Approval, path: string, cell: string): IProposal[] {
  return approval.edits.flatMap((edit, index) =>
    edit.path === path && edit.cell === cell ? [{ approval, index }] : []
  );
}
