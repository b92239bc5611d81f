/**
 * The element that shows one proposed edit with its answers, for a place in a document.
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import type { Approval } from '../../api/types';
import type { IApprovalServices } from '../../approvals';
import { ApprovalContext, ProposalCard } from '../../approvals/views';
import { PROPOSAL_HOST } from './markdownPreview';

import '../../../style/shared.css';
import '../../../style/approvals.css';
import '../../../style/proposals.css';

/** One edit of a question; `index` within it. */
export interface IProposal {
  approval: Approval;
  index: number;
}

export interface IProposalHost {
  host: HTMLElement;
  dispose: () => void;
}

/** `onResize`: its height is another. */
export function proposalHost(
  { approval, index }: IProposal,
  services: IApprovalServices,
  onResize: () => void
): IProposalHost {
  const widget = ReactWidget.create(
    React.createElement(
      ApprovalContext.Provider,
      { value: services },
      React.createElement(ProposalCard, { approval, index })
    )
  );
  const host = document.createElement('div');
  host.className = PROPOSAL_HOST;
  host.append(widget.node);
  host.addEventListener('focusin', keepFromNotebook);
  host.addEventListener('keydown', keepFromNotebook);
  widget.update(); // drawn without being attached: the document owns its place
  const observer = new ResizeObserver(onResize);
  observer.observe(host);
  const dispose = () => {
    observer.disconnect();
    MessageLoop.sendMessage(widget, Widget.Msg.BeforeDetach); // ends what React has drawn
    widget.dispose();
  };
  return { host, dispose };
}

/**
 * With each focus and each key a notebook gives the focus to its active cell. The class is the notebook's own: it
 * keeps keys such as D from acting on the cell.
 */
function keepFromNotebook(event: Event): void {
  event.stopPropagation();
  (event.currentTarget as Element).closest('.jp-Notebook')?.classList.add('jp-mod-readWrite');
}
