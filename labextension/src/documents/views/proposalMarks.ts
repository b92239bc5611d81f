/**
 * Changes that agents ask for, drawn in the editor of a document: lines that go are marked, and below them stands the
 * question with its answers.
 */
import { type Extension, type EditorState, type Range, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';

import type { IApprovalServices } from '../../approvals';
import { placeOf } from '../stores/places';
import { type IProposal, proposalHost } from './proposalHost';

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
    const { host, dispose } = proposalHost(this._proposal, this._services, () =>
      view.requestMeasure()
    );
    drawn.set(host, dispose);
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

const drawn = new WeakMap<HTMLElement, () => void>();
