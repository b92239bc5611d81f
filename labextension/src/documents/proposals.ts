/**
 * Draws the edits that agents ask for into the open documents. Loaded after the start; what draws, when something is
 * asked.
 */
import type { ILabShell } from '@jupyterlab/application';
import type { Notebook } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import type { Approval } from '../api/types';
import type { IApprovalServices } from '../approvals';
import type { OpenDocuments } from './openDocuments';

export function showProposals(options: {
  approvals: IApprovalServices;
  documents: OpenDocuments;
  labShell: ILabShell;
  /** Whether a document may scroll by itself to what a run asks for. */
  mayScroll: (path: string, runId: string) => boolean;
}): void {
  const { approvals, documents, labShell, mayScroll } = options;
  const { store } = approvals;
  const followed = new WeakSet<Widget>();
  let shown = false; // whether anything may be drawn

  const update = async (): Promise<void> => {
    const waiting = store.waiting.map(({ approval }) => approval).filter(each => each.edits.length);
    if (!waiting.length && !shown) {
      return;
    }
    const { drawProposals } = await import(
      /* webpackChunkName: "proposals" */ './views/drawProposals'
    );
    for (const context of documents.contexts()) {
      const path = documents.pathOf(context);
      const here = waiting.filter(approval => isAbout(approval, path));
      for (const widget of documents.widgetsOf(context)) {
        drawProposals(widget, here, path ?? '', {
          services: approvals,
          mayScroll: approval => mayScroll(path ?? '', approval.run_id)
        });
        follow(widget, here);
      }
    }
    shown = waiting.length > 0;
  };

  /** The cells of a long notebook are drawn when they come into view. */
  const follow = (widget: Widget, here: Approval[]): void => {
    const content = (widget as Widget & { content?: Notebook }).content;
    if (here.length && content?.widgets && !followed.has(widget)) {
      followed.add(widget);
      content.cellInViewportChanged?.connect(() => void update());
      content.modelContentChanged?.connect(() => void update());
    }
  };

  store.changed.connect(() => void update());
  labShell.layoutModified.connect(() => void update());
  void update();
}

function isAbout({ edits }: Approval, path: string | null): boolean {
  return edits.some(edit => edit.path === path);
}
