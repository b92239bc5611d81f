/**
 * Changes that agents ask for, drawn in the editor of a document: lines that go are marked, and below them stands the
 * question with its answers.
 */
import { type Extension, type EditorState, type Range, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { ReactWidget } from '@jupyterlab/ui-components';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import type { Approval } from '../../api/types';
import type { IApprovalServices } from '../../approvals';
import { ApprovalContext, ProposalCard } from '../../approvals/views';
import { placeOf } from '../stores/places';

import '../../../style/shared.css';
import '../../../style/approvals.css';
import '../../../style/proposals.css';

/** One edit of a question; `index` within it. */
export interface IProposal {
  approval: Approval;
  index: number;
}

const GOES = Decoration.line({ class: 'jp-Cabinet-proposed-gone' });

/** All proposals for one editor. They follow the text while it is edited. */
export function proposalMarks(proposals: IProposal[], services: IApprovalServices): Extension {
  const draw = (state: EditorState): DecorationSet => {
    const marks = proposals.flatMap(proposal => marksOf(state, proposal, services));
    return Decoration.set(marks, true);
  };
  return StateField.define<DecorationSet>({
    create: draw,
    update: (marks, transaction) => (transaction.docChanged ? draw(transaction.state) : marks),
    provide: field => EditorView.decorations.from(field)
  });
}

function marksOf(
  { doc }: EditorState,
  proposal: IProposal,
  services: IApprovalServices
): Range<Decoration>[] {
  const { after, goes } = placeOf(doc.toString(), proposal.approval.edits[proposal.index]);
  const last = Math.min(after, doc.lines);
  const widget = Decoration.widget({
    widget: new ProposalWidget(proposal, services),
    block: true,
    side: last === 0 ? -1 : 1
  });
  return [
    ...goes.filter(line => line <= doc.lines).map(line => GOES.range(doc.line(line).from)),
    widget.range(last === 0 ? 0 : doc.line(last).to)
  ];
}

class ProposalWidget extends WidgetType {
  constructor(
    private readonly _proposal: IProposal,
    private readonly _services: IApprovalServices
  ) {
    super();
  }

  /** What is drawn already stays: its buttons count the time that they have been seen. */
  override eq(other: ProposalWidget): boolean {
    const { approval, index } = this._proposal;
    return other._proposal.approval.id === approval.id && other._proposal.index === index;
  }

  override toDOM(view: EditorView): HTMLElement {
    const { approval, index } = this._proposal;
    const widget = ReactWidget.create(
      React.createElement(
        ApprovalContext.Provider,
        { value: this._services },
        React.createElement(ProposalCard, { approval, index })
      )
    );
    const host = document.createElement('div');
    host.className = 'jp-Cabinet-proposal-host';
    host.append(widget.node);
    host.addEventListener('focusin', keepFromNotebook);
    host.addEventListener('keydown', keepFromNotebook);
    widget.update(); // drawn without being attached: the editor owns its place
    const observer = new ResizeObserver(() => view.requestMeasure());
    observer.observe(host);
    drawn.set(host, () => {
      observer.disconnect();
      MessageLoop.sendMessage(widget, Widget.Msg.BeforeDetach); // ends what React has drawn
      widget.dispose();
    });
    return host;
  }

  override destroy(host: HTMLElement): void {
    drawn.get(host)?.();
  }

  /** Keys and clicks in it are its own. */
  override ignoreEvent(): boolean {
    return true;
  }
}

/**
 * With each focus and each key a notebook gives the focus to its active cell. The class is the notebook's own: it
 * keeps keys such as D from acting on the cell.
 */
function keepFromNotebook(event: Event): void {
  event.stopPropagation();
  (event.currentTarget as Element).closest('.jp-Notebook')?.classList.add('jp-mod-readWrite');
}

const drawn = new WeakMap<HTMLElement, () => void>();
