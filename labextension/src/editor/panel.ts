/**
 * Puts the AI editor's panel together. Loaded when the sidebar is first shown.
 */
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import type { IApprovalServices } from '../approvals';
import { ChangesStore } from '../changes';
import type { ICabinetServer } from '../shared/tokens';
import type { ITerminalServices } from '../terminal';
import type { CurrentDocument } from './currentDocument';
import { DocumentAttachments } from './documentAttachments';
import type { ComposerFocus } from './stores/composerFocus';
import type { IEditorPanelServices } from './views/services';
import { createEditorWidget } from './views/widget';

/** The panel’s widget, which is not attached yet. */
export async function createEditorPanel(options: {
  services: Omit<IEditorPanelServices, 'attachable' | 'outputs' | 'changes' | 'appearance'>;
  server: ICabinetServer;
  current: CurrentDocument;
  notebookTracker: INotebookTracker | null;
  terminals: ITerminalServices;
  approvals: IApprovalServices;
  focus: ComposerFocus;
}): Promise<Widget> {
  const { services, server, current, notebookTracker, terminals, approvals, focus } = options;
  const changes = new ChangesStore(server.client, server.events, services.runs);
  const panel: IEditorPanelServices = {
    ...services,
    attachable: new DocumentAttachments(current, notebookTracker, services.trans),
    outputs: await services.runs.outputs(),
    changes,
    appearance: terminals.appearance
  };
  const widget = createEditorWidget(panel, terminals, approvals, focus);
  widget.disposed.connect(() => changes.dispose());
  return widget;
}
