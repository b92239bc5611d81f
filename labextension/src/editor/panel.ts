/**
 * Puts the AI editor's panel together. Loaded when the sidebar is first shown.
 */
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import type { IApprovalServices } from '../approvals';
import type { ITerminalServices } from '../terminal';
import type { CurrentDocument } from './currentDocument';
import { DocumentAttachments } from './documentAttachments';
import type { ComposerFocus } from './stores/composerFocus';
import type { IEditorPanelServices } from './views/services';
import { createEditorWidget } from './views/widget';

/** The panel’s widget, which is not attached yet. */
export async function createEditorPanel(options: {
  services: Omit<IEditorPanelServices, 'attachable' | 'outputs' | 'appearance' | 'workSwitch'>;
  current: CurrentDocument;
  notebookTracker: INotebookTracker | null;
  terminals: ITerminalServices;
  approvals: IApprovalServices;
  focus: ComposerFocus;
}): Promise<Widget> {
  const { services, current, notebookTracker, terminals, approvals, focus } = options;
  const panel: IEditorPanelServices = {
    ...services,
    attachable: new DocumentAttachments(current, notebookTracker, services.trans),
    outputs: await services.runs.outputs(),
    workSwitch: await services.runs.workSwitch(),
    appearance: terminals.appearance
  };
  return createEditorWidget(panel, terminals, approvals, focus);
}
